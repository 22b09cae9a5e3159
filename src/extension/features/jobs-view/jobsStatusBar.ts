import * as vscode from 'vscode';
import type { JobStore } from '../../../jobs/jobStore';
import { isListed } from '../../../jobs/trackedJob';
import { VIEWS } from '../../ids';
import type { JobDescriber, JobView } from '../../presentation/describeJob';
import type { JobsTree } from './jobsTree';

/** Shows in the status bar how many jobs need attention, are unread or are running; hidden if there are none. */
export class JobsStatusBar implements vscode.Disposable {
  private item: vscode.StatusBarItem | undefined;
  private updating: NodeJS.Immediate | undefined;
  private readonly subscriptions: { dispose(): void }[];

  constructor(
    private readonly store: Pick<JobStore, 'jobs' | 'onDidChange'>,
    private readonly describer: Pick<JobDescriber, 'describe'>,
    private readonly tree: Pick<JobsTree, 'isPutAside' | 'onDidChangeTreeData'>,
  ) {
    const update = (): void => this.update();
    this.subscriptions = [store.onDidChange(update), tree.onDidChangeTreeData(update)];
  }

  dispose(): void {
    clearImmediate(this.updating);
    this.subscriptions.forEach((each) => each.dispose());
    this.item?.dispose();
  }

  private update(): void {
    this.updating ??= setImmediate(() => {
      this.updating = undefined;
      const views = this.store.jobs.filter(isListed).map((job) => this.describer.describe(job));
      // As many as in the group of that name.
      const needsAttention = ({ job, group }: JobView): boolean =>
        group === 'attention' && !this.tree.isPutAside(job.key);
      const count = (fits: (view: JobView) => boolean): number => views.filter(fits).length;
      this.show(
        count(needsAttention),
        count((view) => view.job.unseen && !needsAttention(view)),
        count(({ group }) => group === 'running'),
      );
    });
  }

  /** A single icon, for the most urgent state: several with numbers look like those of other items. */
  private show(stuck: number, unread: number, running: number): void {
    const all: Part[] = [
      {
        count: stuck,
        icon: '$(warning)',
        short: stuck === 1 ? vscode.l10n.t('1 needs attention') : vscode.l10n.t('{0} need attention', counted(stuck)),
        long: stuck === 1 ? vscode.l10n.t('1 job needs attention') : vscode.l10n.t('{0} jobs need attention', stuck),
      },
      {
        count: unread,
        icon: '$(git-pull-request)',
        short: vscode.l10n.t('{0} unread', counted(unread)),
        long: unread === 1 ? vscode.l10n.t('1 unread job') : vscode.l10n.t('{0} unread jobs', unread),
      },
      {
        count: running,
        icon: '$(sync~spin)',
        short: vscode.l10n.t('{0} running', counted(running)),
        long: running === 1 ? vscode.l10n.t('1 job in progress') : vscode.l10n.t('{0} jobs in progress', running),
      },
    ];
    const parts = all.filter(({ count }) => count > 0);
    const [first] = parts;
    if (first === undefined) {
      this.item?.dispose();
      this.item = undefined;
      return;
    }
    this.item ??= this.make();
    const words = parts.map(({ long }) => long).join(', ');
    this.item.text = `${first.icon} ${vscode.l10n.t('Docs: {0}', parts.map(({ short }) => short).join(', '))}`;
    this.item.tooltip = vscode.l10n.t('Docs Agent: {0}', words);
    this.item.accessibilityInformation = { label: vscode.l10n.t('Docs Agent: {0}. Show jobs.', words) };
    this.item.show();
  }

  private make(): vscode.StatusBarItem {
    const item = vscode.window.createStatusBarItem('docsAgent.jobs', vscode.StatusBarAlignment.Left);
    item.name = vscode.l10n.t('Documentation jobs');
    item.command = `${VIEWS.jobs}.focus`;
    return item;
  }
}

/** One kind of jobs, with its text in the status bar, and the longer one for the tooltip and screen readers. */
interface Part {
  count: number;
  icon: string;
  short: string;
  long: string;
}

function counted(count: number): string {
  return count.toLocaleString(vscode.env.language);
}
