import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import type { Poller } from '../../jobs/poller';
import { isListed } from '../../jobs/trackedJob';
import type { Logger } from '../../shared/util/logger';
import { setContextKey } from '../contextKeys';
import { CONTEXT_KEYS, VIEWS } from '../ids';
import { type ApiKeys, serviceName } from '../services/apiKeys';
import { hostedService, neededKey } from '../services/neededKey';
import { settings } from '../settings';
import { toLabel } from '../text';
import type { JobNode, JobsTree } from './jobsTree';

const { t } = vscode.l10n;

export interface JobsViewOptions {
  tree: JobsTree;
  store: JobStore;
  poller: Poller;
  keys: ApiKeys;
  log: Logger;
}

/** The view around the tree: badge, message, welcome state, and what a look at a row means. */
export class JobsView implements vscode.Disposable {
  private readonly view: vscode.TreeView<JobNode>;
  private readonly subscriptions: vscode.Disposable[];
  private updating: NodeJS.Immediate | undefined;

  constructor(private readonly options: JobsViewOptions) {
    const { tree, store, poller, keys } = options;
    this.view = vscode.window.createTreeView(VIEWS.jobs, { treeDataProvider: tree, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      store.onDidChange(() => this.update()),
      poller.onDidChangeHealth(() => this.update()),
      keys.onDidChange(() => this.update()),
      vscode.workspace.onDidChangeConfiguration(() => this.update()),
      this.view.onDidChangeSelection(({ selection }) => this.markSeen(selection)),
      // Ages are worked out when a row is drawn: draw them when they come into sight.
      this.view.onDidChangeVisibility(({ visible }) => (visible ? tree.refresh() : undefined)),
    ];
  }

  /** Brings badge, message and welcome text up to date, once for all changes of one moment. */
  update(): void {
    this.updating ??= setImmediate(() => {
      this.updating = undefined;
      this.showBadge();
      Promise.all([this.showSetup(), this.showMessage()]).catch((error: unknown) =>
        this.options.log.error('the state of the view could not be shown', error),
      );
    });
  }

  dispose(): void {
    clearImmediate(this.updating);
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private showBadge(): void {
    const unseen = this.options.store.jobs.filter((job) => job.unseen && isListed(job)).length;
    const tooltip = unseen === 1 ? t('1 ended job not seen yet') : t('{0} ended jobs not seen yet', unseen);
    if (this.view.badge?.value !== (unseen === 0 ? undefined : unseen)) {
      this.view.badge = unseen === 0 ? undefined : { value: unseen, tooltip };
    }
  }

  private async showSetup(): Promise<void> {
    const next = hostedService();
    const hasKey =
      settings.usesLocalService() || (next !== undefined && (await this.options.keys.get(next.service)) !== undefined);
    const hasProject = settings.usesLocalService() || settings.projectId(firstFolder()) !== '';
    setContextKey(CONTEXT_KEYS.setup, hasKey ? 'ready' : hasProject ? 'keyMissing' : 'nothing');
  }

  /** A welcome text shows over an empty tree only; beside jobs the view's message tells what is missing. */
  private async showMessage(): Promise<void> {
    const needed = await neededKey(this.options);
    setContextKey(CONTEXT_KEYS.keyNeeded, needed !== undefined);
    this.view.message =
      needed === undefined
        ? undefined
        : t(
            'The API key for {0} is missing or was rejected. Enter it with the key button above.',
            toLabel(serviceName(needed.service)),
          );
  }

  private markSeen(nodes: readonly JobNode[]): void {
    const { store, log } = this.options;
    for (const node of nodes) {
      const job = node.kind === 'job' ? store.get(node.jobKey) : undefined;
      if (job?.unseen === true) {
        store
          .append(job.key, { type: 'seen', at: Date.now() })
          .catch((error: unknown) => log.error(`job ${job.key} could not be marked as seen`, error));
      }
    }
  }
}

function firstFolder(): vscode.Uri | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri;
}
