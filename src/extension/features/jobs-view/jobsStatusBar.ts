import * as vscode from 'vscode';
import type { JobStore } from '../../../jobs/jobStore';
import { isListed } from '../../../jobs/trackedJob';
import { VIEWS } from '../../ids';
import type { JobDescriber, JobView } from '../../presentation/describeJob';
import type { JobsTree } from './jobsTree';

/** Shows in the status bar how many jobs need attention, are unread, run, or wait; hidden if there are none. */
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
      const isActive = ({ group }: JobView): boolean => group === 'running';
      this.show(
        count(needsAttention),
        count((view) => view.job.unseen && !needsAttention(view)),
        count((view) => isActive(view) && view.severity !== 'waiting'),
        count((view) => isActive(view) && view.severity === 'waiting'),
      );
    });
  }

  /** Only the tooltip has room for words. */
  private show(stuck: number, unread: number, running: number, waiting: number): void {
    const one = (count: number, text: string, texts: string): string => (count === 1 ? text : texts);
    const parts = [
      {
        count: stuck,
        icon: 'warning',
        text: one(stuck, vscode.l10n.t('1 job needs attention'), vscode.l10n.t('{0} jobs need attention', stuck)),
      },
      {
        count: unread,
        icon: 'git-pull-request',
        text: one(unread, vscode.l10n.t('1 unread job'), vscode.l10n.t('{0} unread jobs', unread)),
      },
      {
        count: running,
        icon: 'sync~spin',
        text: one(running, vscode.l10n.t('1 job in progress'), vscode.l10n.t('{0} jobs in progress', running)),
      },
      {
        count: waiting,
        icon: 'clock',
        text: one(waiting, vscode.l10n.t('1 job waiting'), vscode.l10n.t('{0} jobs waiting', waiting)),
      },
    ].filter(({ count }) => count > 0);
    if (parts.length === 0) {
      this.item?.dispose();
      this.item = undefined;
      return;
    }
    this.item ??= this.make();
    const words = parts.map(({ text }) => text).join(', ');
    const counts = parts.map(({ icon, count }) => `$(${icon}) ${count.toLocaleString(vscode.env.language)}`);
    this.item.text = vscode.l10n.t('Docs: {0}', counts.join(' '));
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
