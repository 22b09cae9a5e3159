import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import type { TrackedJob } from '../../jobs/trackedJob';
import { isHeld } from '../../jobs/waiting';
import type { Surroundings } from '../../protocol/surroundings';
import { pullRequestNumber } from '../platform/pullRequestLink';
import { toBoxLine, toQuestion } from '../platform/sanitize';
import type { SendTime } from '../platform/sendTime';
import { getJobState, STATES } from '../presentation/jobStates';
import { followUpNotes } from '../presentation/surroundings';
import { settings } from '../settings';
import type { Sender, Sending } from './sender';

/** The texts of the places that take a follow-up, for the current state of its job. */
export interface FollowUpTexts {
  /** What to know before sending, and what that does if it isn't obvious: a sentence each. */
  effects: readonly string[];
  /** The same in one line, for an input box. */
  hint: string;
  /** The label for sending now. */
  send: string;
  /** The label for sending after the current run; undefined if none is running. */
  sendLater: string | undefined;
}

/** A time to send other than the one that Enter selects, and its label. */
export interface OtherTime {
  time: SendTime;
  label: string;
}

/** The editor documents of follow-ups, for use by other features. */
export interface FollowUpEditor {
  textForJob(job: TrackedJob): Promise<string>;
  openForJob(job: TrackedJob, text?: string): Promise<unknown>;
  appendForJob(job: TrackedJob, text?: string): Promise<unknown>;
}

/** The option to send after the current run, for an input box. */
export function toOtherTime(sendLater: string | undefined): OtherTime | undefined {
  return sendLater === undefined ? undefined : { time: 'ended', label: sendLater };
}

/** Returns true while the service may be working on the job: a message would interrupt it (service documentation). */
export function interrupts(job: TrackedJob): boolean {
  return job.snapshot !== undefined && job.endedAt === undefined;
}

/** Returns true if the job's last known run has ended, but an unanswered follow-up may have started another one. */
function mayInterrupt(job: TrackedJob): boolean {
  return job.mayRun === true && !interrupts(job);
}

export function getFollowUpTexts(job: TrackedJob): FollowUpTexts {
  const effects = effectsOf(job);
  return {
    effects,
    hint: toBoxLine(effects.join(' '), 500),
    send: interrupts(job) ? vscode.l10n.t('Interrupt and Send') : vscode.l10n.t('Send'),
    sendLater: interrupts(job) ? vscode.l10n.t('Send After This Run') : undefined,
  };
}

function effectsOf(job: TrackedJob): string[] {
  const ofState = STATES[getJobState(job)].effect?.() ?? '';
  if (interrupts(job)) {
    const working = vscode.l10n.t(
      'The agent is still working. A follow-up can interrupt it or wait until it finishes.',
    );
    return [ofState === '' ? working : ofState];
  }
  const effect = mayInterrupt(job)
    ? vscode.l10n.t('The agent may have received an earlier follow-up. Another one would interrupt it.')
    : ofState;
  const held = job.prompts.some(isHeld)
    ? vscode.l10n.t('Follow-ups on hold are sent after the next run that finishes.')
    : '';
  return [...followUpNotes(job), effect, held].filter((text) => text !== '');
}

/**
 * Returns when to send a follow-up that a person has just requested. Asks if its pull request was closed, and if it
 * interrupts the job or might do so; otherwise `now`. Undefined if they decide not to send. Not needed where the interface offers both times, or for a
 * prompt from a program.
 *
 * @param waits whether it already waits for the end of the run, and this is about sending it earlier
 */
export async function whenToSend(job: TrackedJob, waits = false): Promise<SendTime | undefined> {
  const { surroundings } = job.snapshot ?? {};
  if (surroundings?.pullRequest?.state === 'closed' && !interrupts(job) && !(await confirmClosed(surroundings))) {
    return undefined;
  }
  if (mayInterrupt(job)) {
    return confirmPossibleInterrupt();
  }
  const { send, sendLater } = getFollowUpTexts(job);
  if (sendLater === undefined) {
    return 'now';
  }
  const always = settings.whileRunning();
  if (always !== 'ask' && !waits) {
    return always === 'queue' ? 'ended' : 'now';
  }
  const text = vscode.l10n.t('Interrupt the current run?');
  const detail = vscode.l10n.t('Sending now stops the current run and starts a new one with your follow-up.');
  // Enter selects the first choice, and pressing Enter twice in the box must not interrupt a run.
  const acts = waits ? [send] : [sendLater, send];
  const choice = await vscode.window.showWarningMessage(text, { modal: true, detail }, ...acts);
  return choice === undefined ? undefined : choice === send ? 'now' : 'ended';
}

async function confirmClosed({ pullRequest }: Surroundings): Promise<boolean> {
  const text = vscode.l10n.t(
    'Pull request {0} was closed without merging. Send the follow-up anyway?',
    toQuestion(pullRequestNumber(pullRequest?.url ?? ''), 80),
  );
  const send = vscode.l10n.t('Send');
  return (await vscode.window.showWarningMessage(text, { modal: true }, send)) === send;
}

async function confirmPossibleInterrupt(): Promise<SendTime | undefined> {
  const text = vscode.l10n.t('An earlier follow-up may still be running. Send anyway?');
  const detail = vscode.l10n.t(
    'The service didn’t respond to an earlier follow-up, so the agent may be working on it. Another one would interrupt that run. Check the service first, or send now.',
  );
  const send = vscode.l10n.t('Send Now');
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, send)) === send ? 'now' : undefined;
}

export interface FollowUpParts {
  store: Pick<JobStore, 'get'>;
  sender: Pick<Sender, 'followUp'>;
}

/**
 * Saves a follow-up that a person typed. Asks first if it would interrupt the job.
 *
 * @param time when to send it, if that was already chosen by the person or a program
 * @returns undefined if they decide not to send; the text stays where it is
 */
export async function saveFollowUp(
  { store, sender }: FollowUpParts,
  job: TrackedJob,
  prompt: string,
  time?: SendTime,
): Promise<Sending | undefined> {
  // The job may have ended or restarted since the box opened.
  const now = store.get(job.key) ?? job;
  const chosen = time ?? (await whenToSend(now));
  return chosen && sender.followUp(now, prompt, chosen);
}
