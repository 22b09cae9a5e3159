import * as vscode from 'vscode';
import type { Logger } from '../../base/logger';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { Notifier } from '../../jobs/notices';
import { promptToRetry } from '../../jobs/jobStatus';
import type { TrackedJob } from '../../jobs/trackedJob';
import { heldSends } from '../../jobs/waiting';
import { COMMANDS, VIEWS } from '../ids';
import { showErrorWithLog } from '../platform/log';
import { localReview, safeLink } from '../platform/pullRequestLink';
import { toNotice } from '../platform/sanitize';
import { isLoopback } from '../../base/network';
import { settings } from '../settings';
import { endState } from './jobState';
import { jobTitle, projectLabel } from './jobText';
import { failureText, noteText } from './serviceText';

/** Shows one notification when jobs have ended; never modal, never repeated. */
export class Notifications implements Notifier {
  constructor(private readonly log: Logger) {}

  shouldNotify(job: TrackedJob): boolean {
    const level = settings.notifications();
    return level === 'all' || (level === 'attention' && needsAttention(job));
  }

  isInFront(): boolean {
    return vscode.window.state.focused;
  }

  onDidComeToFront(listener: () => void): vscode.Disposable {
    return vscode.window.onDidChangeWindowState(({ focused }) => focused && listener());
  }

  show(jobs: readonly TrackedJob[]): void {
    const [first] = jobs;
    if (first !== undefined) {
      const shown = jobs.length === 1 ? this.presentOne(first) : this.presentMany(jobs);
      shown.catch((error: unknown) => this.log.error('the action of a notification failed', error));
    }
  }

  private async presentOne(job: TrackedJob): Promise<void> {
    const open = { label: openLabel(job), command: openCommand(job) };
    const openPage = { label: vscode.l10n.t('Open Page'), command: COMMANDS.openPullRequest };
    const connect = {
      label: vscode.l10n.t('Sign In to Git Host'),
      command: COMMANDS.manageLocalService,
      argument: { show: 'gitHost' },
    };
    const followUp = { label: vscode.l10n.t('Send Follow-up'), command: COMMANDS.sendFollowUp };
    const show = { label: vscode.l10n.t('Show Job'), command: COMMANDS.showJob };
    const canRetry = promptToRetry(job) !== undefined;
    const retry = canRetry ? { label: vscode.l10n.t('Try Again'), command: COMMANDS.retryJob } : followUp;
    const { showInformationMessage: inform, showWarningMessage: warn } = vscode.window;
    const title = toNotice(jobTitle(job), 80);
    const note = toNotice(noteText(job.snapshot), 300);
    const ask = async (
      say: typeof inform,
      text: string,
      ...offers: { label: string; command: string; argument?: object }[]
    ): Promise<void> => {
      const choice = await say(text, ...offers.map(({ label }) => label));
      const chosen = offers.find(({ label }) => label === choice);
      if (chosen !== undefined) {
        await vscode.commands.executeCommand(chosen.command, chosen.argument ?? job.key);
      }
    };
    switch (endState(job.snapshot)) {
      case 'failed':
        return ask(warn, failedText(title, job), show, retry);
      case 'stopped':
        return ask(inform, withHeld(vscode.l10n.t('Job stopped: {0}', title), job), show, retry);
      case 'endedEarly':
        return ask(warn, endedEarlyText(title, note), show, followUp);
      case 'pushed':
        return ask(warn, pushedText(title, note), openPage, connect);
      case 'ready':
        return ask(inform, readyText(title, job, safeLink(job.snapshot?.prLink)), open, followUp);
      default:
        return ask(inform, vscode.l10n.t('Finished without a pull request: {0}', title), show, followUp);
    }
  }

  private async presentMany(jobs: readonly TrackedJob[]): Promise<void> {
    const show = vscode.l10n.t('Show Jobs');
    const ready = jobs.filter((job) => endOf(job) === 'ready');
    const open = ready[0] === undefined ? '' : openLabel(ready[0]);
    const offers = ready.length === 1 ? [open, show] : [show];
    const choice = await vscode.window.showInformationMessage(digestText(jobs), ...offers);
    if (choice === show) {
      await vscode.commands.executeCommand(`${VIEWS.jobs}.focus`);
    } else if (choice === open && ready[0] !== undefined) {
      await vscode.commands.executeCommand(openCommand(ready[0]), ready[0].key);
    }
  }
}

/** A job without a remote has a review page instead of a pull request. */
function openLabel(job: TrackedJob): string {
  return localReview(job) === undefined ? vscode.l10n.t('Open Pull Request') : vscode.l10n.t('Review Changes');
}

function openCommand(job: TrackedJob): string {
  return localReview(job) === undefined ? COMMANDS.openPullRequest : COMMANDS.reviewChanges;
}

type End = 'ready' | 'without' | 'failed' | 'stopped';

function endOf({ snapshot }: TrackedJob): End {
  const isReady = snapshot?.prLink != null && (snapshot.note === undefined || snapshot.endedEarly === true);
  if (snapshot?.status === 'failed') {
    return snapshot.stopped === true ? 'stopped' : 'failed';
  }
  return isReady ? 'ready' : 'without';
}

/** One sentence for each way that runs ended, and one for held follow-ups. */
function digestText(jobs: readonly TrackedJob[]): string {
  const count = (end: End): number => jobs.filter((job) => endOf(job) === end).length;
  const [ready, failed, without, stopped] = [count('ready'), count('failed'), count('without'), count('stopped')];
  const held = jobs.flatMap(heldSends).length;
  const sentences: [number, string][] = [
    [
      ready,
      ready === 1
        ? vscode.l10n.t('1 job is ready for review.')
        : vscode.l10n.t('{0} jobs are ready for review.', ready),
    ],
    [failed, failed === 1 ? vscode.l10n.t('1 job failed.') : vscode.l10n.t('{0} jobs failed.', failed)],
    [stopped, stopped === 1 ? vscode.l10n.t('1 job was stopped.') : vscode.l10n.t('{0} jobs were stopped.', stopped)],
    [
      without,
      without === 1
        ? vscode.l10n.t('1 job finished without a pull request.')
        : vscode.l10n.t('{0} jobs finished without a pull request.', without),
    ],
    [held, held === 1 ? vscode.l10n.t('1 follow-up is on hold.') : vscode.l10n.t('{0} follow-ups are on hold.', held)],
  ];
  const told = sentences.filter(([times]) => times > 0).map(([, sentence]) => sentence);
  return told.join(' ');
}

function needsAttention(job: TrackedJob): boolean {
  const { snapshot } = job;
  const isFailed = snapshot?.status === 'failed' && snapshot.stopped !== true;
  return isFailed || snapshot?.endedEarly === true || snapshot?.prLink != null;
}

/**
 * Names the button's target: the host, or for the local service the project, because its address means nothing to
 * users.
 */
function readyText(title: string, job: TrackedJob, link: URL | undefined): string {
  if (link === undefined) {
    return vscode.l10n.t('Pull request ready: {0}', title);
  }
  return job.home.service === LOCAL_SERVICE && isLoopback(link.hostname)
    ? vscode.l10n.t('Changes ready to review in {0}: {1}', toNotice(projectLabel(job), 60), title)
    : vscode.l10n.t('Pull request ready on {0}: {1}', link.host, title);
}

function endedEarlyText(title: string, note: string): string {
  return vscode.l10n.t('Ended early: {0} ({1})', title, note);
}

function pushedText(title: string, note: string): string {
  return vscode.l10n.t('Branch pushed, no pull request: {0} ({1})', title, note);
}

function failedText(title: string, job: TrackedJob): string {
  const reason = toNotice(failureText(job.snapshot), 300);
  const text =
    reason === '' ? vscode.l10n.t('Job failed: {0}', title) : vscode.l10n.t('Job failed: {0} ({1})', title, reason);
  return withHeld(text, job);
}

function withHeld(text: string, job: TrackedJob): string {
  const held = heldSends(job).length;
  const holds = held === 1 ? vscode.l10n.t('Its follow-up is on hold.') : vscode.l10n.t('Its follow-ups are on hold.');
  return held === 0 ? text : `${text}. ${holds}`;
}

/**
 * Warns that the local service's list of jobs was damaged and that a new one was created.
 *
 * @param path where the damaged list is kept
 */
export function showJobListReplaced(path: string): void {
  const text = vscode.l10n.t(
    'The local service’s job list was damaged, so a new one was created. The old one was saved as {0}. The branches and pull requests of earlier jobs weren’t affected.',
    toNotice(path),
  );
  void showErrorWithLog(text);
}
