import * as vscode from 'vscode';
import { KeyedQueue, risingEdge, type Clock, systemClock } from '../../../base/async';
import type { Logger } from '../../../base/logger';
import { type JobStore, markSeen } from '../../../jobs/jobStore';
import type { Poller } from '../../../jobs/poller';
import { LOCAL_SERVICE } from '../../../jobs/events';
import { isListed, type TrackedJob } from '../../../jobs/trackedJob';
import { CONTEXT_KEYS, VIEWS } from '../../ids';
import { type ApiKeys, serviceName } from '../../platform/apiKeys';
import { setContextKey } from '../../platform/contextKeys';
import { hostedService, locationNeedingKey } from '../../platform/keyPrompt';
import { hasGithubJob, pullRequestName } from '../../platform/pullRequestLink';
import type { PullRequestStates } from '../../platform/pullRequestStates';
import { toLabel } from '../../platform/sanitize';
import { settings } from '../../settings';
import { isFiltered, type ListOptions, SHOW_ALL } from './jobList';
import type { JobNode, JobsTree } from './jobsTree';
import type { ListState } from './listState';

export interface JobsViewOptions {
  tree: JobsTree;
  state: ListState;
  store: JobStore;
  poller: Poller;
  keys: ApiKeys;
  pulls: PullRequestStates;
  /** Whether the local service can run on the machine of this extension host. */
  localAvailable: boolean;
  log: Logger;
}

/** How often ages are refreshed, in milliseconds: they are in minutes. */
const AGES_MS = 60_000;

/** Setup progress of the chosen service; `when` clauses use these values. */
type Setup = 'nothing' | 'keyMissing' | 'ready' | 'localElsewhere' | 'localUntrusted' | 'local';

/** The view around the tree: badge, message, welcome texts, and marking jobs as seen when their row is selected. */
export class JobsView implements vscode.Disposable {
  private readonly view: vscode.TreeView<JobNode>;
  private readonly subscriptions: vscode.Disposable[];
  private updating: NodeJS.Immediate | undefined;
  private ages: NodeJS.Timeout | undefined;
  /** The row whose selection was restored; the user has not looked at it yet. */
  private restored: string | undefined;
  /** The selection is changed only to find the focused row, for one key at a time. */
  private isProbing = false;
  private readonly keys = new KeyedQueue();

  constructor(private readonly options: JobsViewOptions) {
    const { tree, store, poller, keys, state, pulls } = options;
    this.view = vscode.window.createTreeView(VIEWS.jobs, {
      treeDataProvider: tree,
      showCollapseAll: true,
      canSelectMany: true,
    });
    const focus = risingEdge(vscode.window.state.focused, () => this.onFocusRegained());
    this.subscriptions = [
      this.view,
      store.onDidChange(() => this.update()),
      poller.onDidChangeHealth(() => this.update()),
      keys.onDidChange(() => this.update()),
      vscode.workspace.onDidChangeConfiguration(() => this.update()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.update()),
      state.onDidChange(() => this.update()),
      this.view.onDidChangeSelection(({ selection }) => this.onSelect(selection)),
      this.view.onDidCollapseElement(({ element }) => this.fold(element, true)),
      this.view.onDidExpandElement(({ element }) => this.fold(element, false)),
      // Ages are computed when a row is created, so refresh them when the view becomes visible.
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) {
          tree.refresh();
          this.restoreSelection();
        }
        this.options.pulls.show(visible);
        this.toggleAgeTimer();
      }),
      pulls.onDidChange(() => this.update()),
      // Users merge in the browser and then come back to the window.
      vscode.window.onDidChangeWindowState(({ focused }) => focus(focused)),
      store.onDidChange(() => this.toggleAgeTimer()),
      store.onDidChange(({ job, event }) => event?.type === 'send' && event.afterRun === true && this.unfold(job.key)),
    ];
  }

  /** The rows that a key applies to. */
  async rowsForKey(): Promise<readonly JobNode[]> {
    return this.keys.run('', async () => {
      this.isProbing = true;
      try {
        return await rowsForKey(this.view);
      } finally {
        this.isProbing = false;
      }
    });
  }

  /** The key of the job whose row has the focus, or had it last; undefined while the list is hidden. */
  async focusedJob(): Promise<string | undefined> {
    const [row] = this.view.visible ? await this.rowsForKey() : [];
    return row !== undefined && 'jobKey' in row ? row.jobKey : undefined;
  }

  async focus(row: JobNode | undefined): Promise<void> {
    await (row && this.view.reveal(row, { select: false, focus: true }));
  }

  /** Updates badge, message and welcome text, once for all changes of the same tick. */
  update(): void {
    this.updating ??= setImmediate(() => {
      this.updating = undefined;
      this.showBadge();
      this.showTexts().catch((error: unknown) => this.options.log.error('couldn’t show the state of the view', error));
    });
  }

  /** Called when the records have been read: refreshes everything and restores the selection. */
  opened(): void {
    this.options.tree.refresh();
    this.update();
    this.restoreSelection();
    this.options.pulls.show(this.view.visible);
    this.toggleAgeTimer();
  }

  /** Reveals and selects the row of a job. Clears a filter that hides it. */
  async show(key: string): Promise<void> {
    const { tree, state } = this.options;
    if (!tree.has(key)) {
      state.change(SHOW_ALL);
    }
    const node = tree.nodeOf(key);
    if (node !== undefined) {
      await this.view.reveal(node, { select: true, focus: true, expand: false });
    }
  }

  dispose(): void {
    clearImmediate(this.updating);
    clearInterval(this.ages);
    this.subscriptions.forEach((each) => void each.dispose());
  }

  /** Ages have changed since, and it may be another day. */
  private onFocusRegained(): void {
    if (this.view.visible) {
      this.options.tree.refresh();
    }
    this.options.pulls.refresh();
  }

  private showBadge(): void {
    const unseen = this.options.store.jobs.filter((job) => job.unseen && isListed(job)).length;
    const tooltip = unseen === 1 ? vscode.l10n.t('1 unread job') : vscode.l10n.t('{0} unread jobs', unseen);
    if (this.view.badge?.value !== (unseen === 0 ? undefined : unseen)) {
      this.view.badge = unseen === 0 ? undefined : { value: unseen, tooltip };
    }
  }

  /** Hides the welcome text at once when the list is not empty, and shows it only after its content is known. */
  private async showTexts(): Promise<void> {
    const { store, tree } = this.options;
    const isEmpty = (): boolean => store.isLoaded && tree.count === 0;
    const listed = store.jobs.filter(isListed);
    setContextKey(CONTEXT_KEYS.hasJobs, listed.length > 0);
    const isLocal = ({ location }: TrackedJob): boolean => location.service === LOCAL_SERVICE;
    setContextKey(CONTEXT_KEYS.hasLocalJobs, listed.some(isLocal));
    const hasPullRequest = listed.some((job) => pullRequestName(job) !== '');
    setContextKey(CONTEXT_KEYS.hasPullRequest, hasPullRequest);
    setContextKey(CONTEXT_KEYS.hasGithub, hasGithubJob(store));
    if (!isEmpty()) {
      setContextKey(CONTEXT_KEYS.empty, false);
    }
    await Promise.all([this.showSetup(), this.showMessage()]);
    setContextKey(CONTEXT_KEYS.empty, isEmpty());
  }

  private async showSetup(): Promise<void> {
    setContextKey(CONTEXT_KEYS.setup, settings.usesLocalService() ? this.localSetup() : await this.hostedSetup());
  }

  private localSetup(): Setup {
    const trusted = vscode.workspace.isTrusted ? 'local' : 'localUntrusted';
    return this.options.localAvailable ? trusted : 'localElsewhere';
  }

  private async hostedSetup(): Promise<Setup> {
    const next = hostedService();
    if (next !== undefined && (await this.options.keys.get(next.service)) !== undefined) {
      return 'ready';
    }
    return settings.projectId(vscode.workspace.workspaceFolders?.[0]?.uri) === '' ? 'nothing' : 'keyMissing';
  }

  /**
   * The editor shows a welcome text only for an empty tree. If there are jobs, the view's message says what is missing.
   */
  private async showMessage(): Promise<void> {
    const needed = await locationNeedingKey(this.options);
    setContextKey(CONTEXT_KEYS.keyNeeded, needed !== undefined);
    const filter = this.filterMessage();
    const key =
      needed === undefined
        ? undefined
        : vscode.l10n.t(
            'The API key for {0} is missing or was rejected. Select the key icon above to set it.',
            toLabel(serviceName(needed.service)),
          );
    const texts = [key, filter].filter((text) => text !== undefined);
    // A message would hide the welcome text of an empty list.
    const isSaid = key === undefined && this.options.tree.count === 0;
    this.view.message = isSaid ? undefined : texts.join(' ') || undefined;
  }

  /** Says that a filter is active, so that no one mistakes part of the list for all of it. */
  private filterMessage(): string | undefined {
    const { state, store, tree } = this.options;
    const { options } = state;
    setContextKey(CONTEXT_KEYS.filtered, isFiltered(options));
    setContextKey(CONTEXT_KEYS.removed, options.removed);
    if (!isFiltered(options) && !options.removed) {
      return undefined;
    }
    return filterText(options, tree.count, store.jobs.filter(isListed).length);
  }

  private restoreSelection(): void {
    const { state, tree } = this.options;
    const node = state.selected === undefined ? undefined : tree.nodeOf(state.selected);
    if (node !== undefined && this.view.visible && this.view.selection.length === 0) {
      this.restored = state.selected;
      this.revealSoon(node, { select: true, focus: false, expand: false });
    }
  }

  private onSelect(nodes: readonly JobNode[]): void {
    if (this.isProbing) {
      return;
    }
    const [first] = nodes;
    const key = first?.kind === 'job' ? first.jobKey : undefined;
    if (key !== undefined && key === this.restored) {
      this.restored = undefined;
      return;
    }
    this.restored = undefined;
    this.options.state.select(key);
    this.markSeen(nodes);
  }

  /**
   * The editor keeps new children of a row collapsed. Expands them after the user has just created a follow-up that
   * waits.
   */
  private unfold(jobKey: string): void {
    const node = this.options.tree.nodeOf(jobKey);
    if (node !== undefined && this.view.visible) {
      this.revealSoon(node, { select: false, focus: false, expand: true });
    }
  }

  /** Logs failures only, because the row may be gone by the time the editor looks for it. */
  private revealSoon(node: JobNode, how: { select: boolean; focus: boolean; expand: boolean }): void {
    this.view
      .reveal(node, how)
      .then(undefined, (error: unknown) => this.options.log.warn('couldn’t reveal a row', error));
  }

  private fold(node: JobNode, collapsed: boolean): void {
    if (node.kind === 'section' || node.kind === 'job') {
      this.options.state.fold(node.kind === 'section' ? `section:${node.id}` : `job:${node.jobKey}`, collapsed);
    }
  }

  /** Refreshes ages while they are visible; otherwise no timer runs. */
  private toggleAgeTimer(): void {
    if (!this.view.visible || this.options.store.jobs.length === 0) {
      clearInterval(this.ages);
      this.ages = undefined;
    } else {
      this.ages ??= setInterval(() => this.options.tree.refresh(), AGES_MS);
    }
  }

  private markSeen(nodes: readonly JobNode[]): void {
    const { store, log } = this.options;
    for (const node of nodes) {
      const job = node.kind === 'job' ? store.get(node.jobKey) : undefined;
      const marked = job && markSeen(store, job);
      marked?.catch((error: unknown) => log.error(`couldn’t mark job ${job?.key ?? ''} as read`, error));
    }
  }
}

/** The row below the first of these in its section, or else the one above it. */
export function rowBeside(tree: Pick<JobsTree, 'getChildren' | 'getParent'>, [first, ...more]: readonly JobNode[]) {
  const left = (first ? tree.getChildren(tree.getParent(first)) : []).filter((row) => !more.includes(row));
  const at = left.findIndex((row) => row === first);
  return left[at + 1] ?? left[at - 1];
}

/** What the list shows and hides, in one sentence. */
export function filterText({ text, hideMerged, removed }: ListOptions, shown: number, all: number): string {
  const count = shown.toLocaleString(vscode.env.language);
  const parts = [
    text.trim() === '' ? '' : `“${toLabel(text.trim(), 60)}”`,
    hideMerged && !removed ? vscode.l10n.t('merged and closed hidden') : '',
  ];
  const filter = parts.filter((part) => part !== '').join(' · ');
  if (removed) {
    return filter === ''
      ? vscode.l10n.t('Removed jobs: {0}', count)
      : vscode.l10n.t('Removed jobs matching {0}: {1}', filter, count);
  }
  return vscode.l10n.t('Showing {0} of {1} jobs: {2}', count, all.toLocaleString(vscode.env.language), filter);
}

type View<T> = Pick<vscode.TreeView<T>, 'selection' | 'onDidChangeSelection'>;

/** How long the editor may take to report a selection, in milliseconds; it reports none that it reported before. */
const REPORT_MS = 200;

/**
 * Returns the rows that a key applies to, as in the Explorer: the focused one, and the other selected ones if it is
 * among them. Arrow keys move only the focus, which VS Code doesn't report to extensions
 * (microsoft/vscode#170248). So this toggles the selection of the focused row and back, and checks what has changed.
 * That opens nothing.
 */
export async function rowsForKey<T>(view: View<T>, clock: Pick<Clock, 'after'> = systemClock): Promise<readonly T[]> {
  const before = view.selection;
  const toggled = await toggleFocused(view, clock);
  const selected = await toggleFocused(view, clock);
  const [focused] = difference(toggled, selected);
  const changed = difference(before, toggled);
  // Both must be about the same row; otherwise the user has moved on. Nothing has changed if the row was moved to
  // another section before, which ends its selection unreported.
  if (focused === undefined || (changed.length > 0 && !changed.includes(focused))) {
    return [];
  }
  return selected.includes(focused) ? [focused, ...selected.filter((row) => row !== focused)] : [focused];
}

function difference<T>(one: readonly T[], other: readonly T[]): T[] {
  return [...one.filter((row) => !other.includes(row)), ...other.filter((row) => !one.includes(row))];
}

/** The report may come after the command has returned. */
async function toggleFocused<T>(view: View<T>, clock: Pick<Clock, 'after'>): Promise<readonly T[]> {
  const waits: vscode.Disposable[] = [];
  const reported = new Promise<void>((resolve) => {
    waits.push(view.onDidChangeSelection(() => resolve()));
    waits.push(clock.after(REPORT_MS, resolve));
  });
  await vscode.commands.executeCommand('list.toggleSelection');
  await reported;
  waits.forEach((wait) => void wait.dispose());
  return view.selection;
}
