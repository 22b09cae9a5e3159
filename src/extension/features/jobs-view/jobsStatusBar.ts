import * as vscode from 'vscode';
import { groupOf, isStuck } from '../../../jobs/jobGroups';
import type { JobStore } from '../../../jobs/jobStore';
import { isListed } from '../../../jobs/trackedJob';
import { VIEWS } from '../../ids';

/** Shows in the status bar how many jobs are running, have ended unseen or are stuck; hidden if there are none. */
export class JobsStatusBar implements vscode.Disposable {
  private item: vscode.StatusBarItem | undefined;
  private updating: NodeJS.Immediate | undefined;
  private readonly subscription: { dispose(): void };

  constructor(private readonly store: JobStore) {
    this.subscription = store.onDidChange(() => this.update());
  }

  dispose(): void {
    clearImmediate(this.updating);
    this.subscription.dispose();
    this.item?.dispose();
  }

  private update(): void {
    this.updating ??= setImmediate(() => {
      this.updating = undefined;
      const jobs = this.store.jobs.filter(isListed);
      // Failed jobs are counted as unseen until the user has seen them.
      const stuck = jobs.filter(isStuck).length;
      this.show(
        jobs.filter((job) => groupOf(job) === 'running').length,
        jobs.filter((job) => job.unseen).length,
        stuck,
      );
    });
  }

  private show(running: number, unseen: number, stuck: number): void {
    const parts: [number, string, string][] = [
      [
        running,
        '$(sync~spin)',
        running === 1 ? vscode.l10n.t('1 job in progress') : vscode.l10n.t('{0} jobs in progress', running),
      ],
      [unseen, '$(bell-dot)', unseen === 1 ? vscode.l10n.t('1 unread job') : vscode.l10n.t('{0} unread jobs', unseen)],
      [
        stuck,
        '$(question)',
        stuck === 1 ? vscode.l10n.t('1 job needs attention') : vscode.l10n.t('{0} jobs need attention', stuck),
      ],
    ];
    const said = parts.filter(([count]) => count > 0);
    if (said.length === 0) {
      this.item?.dispose();
      this.item = undefined;
      return;
    }
    this.item ??= this.make();
    const words = said.map(([, , text]) => text).join(', ');
    this.item.text = said.map(([count, icon]) => `${icon} ${count.toLocaleString(vscode.env.language)}`).join('  ');
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
