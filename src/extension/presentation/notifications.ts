import * as vscode from 'vscode';
import type { Logger } from '../../base/logger';
import type { Notifier } from '../../jobs/notices';
import type { TrackedJob } from '../../jobs/trackedJob';
import { heldPrompts } from '../../jobs/waiting';
import { VIEWS } from '../ids';
import { showErrorWithLog } from '../platform/log';
import { localReview, safeLink } from '../platform/pullRequestLink';
import { toNotice } from '../platform/sanitize';
import { settings } from '../settings';
import { describeJob, type JobView } from './describeJob';
import { getLabel, runAction } from './jobActions';
import type { Digest } from './jobStates';
import { projectLabel } from './jobText';
import { failureText, noteText } from './serviceText';

/** Shows one notification when jobs have ended; never modal, never repeated. */
export class Notifications implements Notifier {
  constructor(private readonly log: Logger) {}

  shouldNotify(job: TrackedJob): boolean {
    const level = settings.notifications();
    return level === 'all' || (level === 'attention' && describe(job).notice?.isImportant === true);
  }

  isInFront(): boolean {
    return vscode.window.state.focused;
  }

  onDidComeToFront(listener: () => void): vscode.Disposable {
    return vscode.window.onDidChangeWindowState(({ focused }) => focused && listener());
  }

  show(jobs: readonly TrackedJob[]): void {
    const views = jobs.map(describe).filter(({ notice }) => notice !== undefined);
    const [first] = views;
    if (first !== undefined) {
      const shown = views.length === 1 ? presentOne(first) : presentMany(views);
      shown.catch((error: unknown) => this.log.error('the action of a notification failed', error));
    }
  }
}

const describe = (job: TrackedJob): JobView => describeJob(job, { now: Date.now() });

async function presentOne({ job, title, notice, actions }: JobView): Promise<void> {
  const why = toNotice(failureText(job.snapshot) || noteText(job.snapshot), 300);
  const text = notice?.text(toNotice(title, 80), why, placeOf(job)) ?? '';
  const count = heldPrompts(job).length;
  const holds = count === 1 ? vscode.l10n.t('Its follow-up is on hold.') : vscode.l10n.t('Its follow-ups are on hold.');
  const offers = (notice?.offers ?? []).filter((name) => actions.includes(name)).slice(0, 2);
  const labels = offers.map((name) => getLabel(name, job));
  const { showInformationMessage: inform, showWarningMessage: warn } = vscode.window;
  const say = notice?.isWarning === true ? warn : inform;
  const choice = await say(count === 0 ? text : `${text}. ${holds}`, ...labels);
  const chosen = offers[labels.indexOf(choice ?? '')];
  await (chosen && runAction(chosen, job));
}

/** The host of the pull request; for a local job without one the project, because the address means nothing to users. */
function placeOf(job: TrackedJob): string {
  return localReview(job) === undefined
    ? (safeLink(job.snapshot?.prLink)?.host ?? '')
    : toNotice(projectLabel(job), 60);
}

async function presentMany(views: readonly JobView[]): Promise<void> {
  const show = vscode.l10n.t('Show Jobs');
  const ready = views.filter(({ notice }) => notice?.digest === 'ready');
  const [only] = ready.length === 1 ? ready : [];
  const name = only?.notice?.offers.find((each) => only.actions.includes(each));
  const open = only === undefined || name === undefined ? [] : [getLabel(name, only.job)];
  const choice = await vscode.window.showInformationMessage(digestText(views), ...open, show);
  if (choice === show) {
    await vscode.commands.executeCommand(`${VIEWS.jobs}.focus`);
  } else if (choice !== undefined && only !== undefined && name !== undefined) {
    await runAction(name, only.job);
  }
}

/** A sentence for one job or several. */
type Sentence = (count: number) => string;

const DIGESTS: Readonly<Record<Digest, Sentence>> = {
  ready: (count) =>
    count === 1 ? vscode.l10n.t('1 job is ready for review.') : vscode.l10n.t('{0} jobs are ready for review.', count),
  failed: (count) => (count === 1 ? vscode.l10n.t('1 job failed.') : vscode.l10n.t('{0} jobs failed.', count)),
  stopped: (count) =>
    count === 1 ? vscode.l10n.t('1 job was stopped.') : vscode.l10n.t('{0} jobs were stopped.', count),
  archived: (count) =>
    count === 1 ? vscode.l10n.t('1 job was archived.') : vscode.l10n.t('{0} jobs were archived.', count),
  without: (count) =>
    count === 1
      ? vscode.l10n.t('1 job finished without a pull request.')
      : vscode.l10n.t('{0} jobs finished without a pull request.', count),
};

const onHold: Sentence = (count) =>
  count === 1 ? vscode.l10n.t('1 follow-up is on hold.') : vscode.l10n.t('{0} follow-ups are on hold.', count);

/** One sentence for each way that runs ended, and one for follow-ups on hold. */
function digestText(views: readonly JobView[]): string {
  const counted = Object.entries(DIGESTS).map(([digest, sentence]): [number, Sentence] => [
    views.filter(({ notice }) => notice?.digest === digest).length,
    sentence,
  ]);
  counted.push([views.flatMap(({ job }) => heldPrompts(job)).length, onHold]);
  return counted.flatMap(([count, sentence]) => (count === 0 ? [] : [sentence(count)])).join(' ');
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
