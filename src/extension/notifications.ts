import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../jobs/events';
import type { NoticeBoard } from '../jobs/notices';
import type { TrackedJob } from '../jobs/trackedJob';
import type { Logger } from '../shared/util/logger';
import { COMMANDS, VIEWS } from './ids';
import { isLoopback } from './services/serviceUrl';
import { safeLink } from './pullRequestLink';
import { settings } from './settings';
import { toNotice } from './text';
import { jobTitle, projectLabel } from './views/jobWords';

const { t } = vscode.l10n;

/** Tells in one plain notification that jobs ended; never modal, never repeated. */
export class Notifications implements NoticeBoard {
  constructor(private readonly log: Logger) {}

  wants(job: TrackedJob): boolean {
    const level = settings.notifications();
    return level === 'all' || (level === 'attention' && needsAttention(job));
  }

  isInFront(): boolean {
    return vscode.window.state.focused;
  }

  present(jobs: readonly TrackedJob[]): void {
    const [first] = jobs;
    if (first !== undefined) {
      const shown = jobs.length === 1 ? this.presentOne(first) : this.presentMany(jobs);
      shown.catch((error: unknown) => this.log.error('what a notice offers did not work', error));
    }
  }

  private async presentOne(job: TrackedJob): Promise<void> {
    const [open, followUp, show] = [t('Open pull request'), t('Follow up'), t('Show job')];
    const [openPage, connect] = [t('Open page'), t('Connect code host')];
    const title = toNotice(jobTitle(job), 80);
    const link = safeLink(job.snapshot?.prLink);
    const failed = job.snapshot?.status === 'failed';
    const choice = failed
      ? await vscode.window.showWarningMessage(failedText(title, job), show, followUp)
      : job.snapshot?.prLink == null
        ? await vscode.window.showInformationMessage(t('Finished without a pull request: {0}', title), show, followUp)
        : job.snapshot.note === undefined
          ? await vscode.window.showInformationMessage(readyText(title, job, link), open, followUp)
          : await vscode.window.showWarningMessage(pushedText(title, job.snapshot.note), openPage, connect);
    if (choice === connect) {
      await vscode.commands.executeCommand(COMMANDS.connectCodeHost);
    } else if (choice === open || choice === openPage) {
      await vscode.commands.executeCommand(COMMANDS.openPullRequest, job.key);
    } else if (choice === followUp) {
      await vscode.commands.executeCommand(COMMANDS.sendFollowUp, job.key);
    } else if (choice === show) {
      await vscode.commands.executeCommand(COMMANDS.showJob, job.key);
    }
  }

  private async presentMany(jobs: readonly TrackedJob[]): Promise<void> {
    const failed = jobs.filter((job) => job.snapshot?.status === 'failed').length;
    const ready = jobs.filter((job) => job.snapshot?.status !== 'failed' && job.snapshot?.prLink != null).length;
    const parts = [
      ready > 0 ? t('pull requests ready: {0}', ready) : '',
      jobs.length - ready - failed > 0 ? t('finished without one: {0}', jobs.length - ready - failed) : '',
      failed > 0 ? t('failed: {0}', failed) : '',
    ].filter((part) => part !== '');
    const show = t('Show jobs');
    const text = t('{0} documentation jobs ended ({1})', jobs.length, parts.join(', '));
    if ((await vscode.window.showInformationMessage(text, show)) === show) {
      await vscode.commands.executeCommand(`${VIEWS.jobs}.focus`);
    }
  }
}

function needsAttention(job: TrackedJob): boolean {
  return job.snapshot?.status === 'failed' || job.snapshot?.prLink != null;
}

/** Names where the button leads: the host, or for the local service, whose address says nothing, the project. */
function readyText(title: string, job: TrackedJob, link: URL | undefined): string {
  if (link === undefined) {
    return t('Pull request ready: {0}', title);
  }
  return job.home.service === LOCAL_SERVICE && isLoopback(link.hostname)
    ? t('Pull request ready in {0}: {1}', toNotice(projectLabel(job), 60), title)
    : t('Pull request ready on {0}: {1}', link.host, title);
}

function pushedText(title: string, note: string): string {
  return t('Pushed without a pull request: {0} ({1})', title, toNotice(note, 300));
}

function failedText(title: string, job: TrackedJob): string {
  const reason = toNotice(job.snapshot?.error ?? '', 200);
  return reason === '' ? t('Job failed: {0}', title) : t('Job failed: {0} ({1})', title, reason);
}
