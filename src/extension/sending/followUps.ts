import * as vscode from 'vscode';
import { jobStatus } from '../../jobs/jobStatus';
import type { JobStore } from '../../jobs/jobStore';
import type { TrackedJob } from '../../jobs/trackedJob';
import { isHeld } from '../../jobs/waiting';
import type { SendTime } from '../platform/sendTime';
import { type OtherTime, SendCancelled } from './promptSession';
import type { Sender, Sending } from './sender';

/** The texts of the places that take a follow-up, for the current state of its job. */
export interface FollowUpWords {
  /** What sending now does: a sentence for an empty box or below it. */
  effect: string;
  /** The label for sending now. */
  send: string;
  /** The label for sending after the current run; undefined if none is running. */
  sendLater: string | undefined;
}

/** The option to send after the current run, for an input box. */
export function atEnd(sendLater: string | undefined): OtherTime | undefined {
  return sendLater === undefined ? undefined : { time: 'ended', label: sendLater };
}

/** Returns true while the service may be working on the job: a message would interrupt it (service documentation). */
export function interrupts(job: TrackedJob): boolean {
  return job.snapshot !== undefined && job.endedAt === undefined;
}

/** Returns true if the job has ended as far as is known, but an unanswered follow-up may have restarted it. */
function mayInterrupt(job: TrackedJob): boolean {
  return job.mayRun === true && !interrupts(job);
}

export function followUpWords(job: TrackedJob): FollowUpWords {
  return {
    effect: effectOf(job),
    send: interrupts(job) ? vscode.l10n.t('Interrupt and send') : vscode.l10n.t('Send'),
    sendLater: interrupts(job) ? vscode.l10n.t('Send when this run ends') : undefined,
  };
}

function effectOf(job: TrackedJob): string {
  if (interrupts(job)) {
    return vscode.l10n.t('This job is still running: a follow-up stops the present work, or waits for its end.');
  }
  const effect = mayInterrupt(job)
    ? vscode.l10n.t('The agent may have received an earlier follow-up: a further one would stop its work on that.')
    : stateEffect(job);
  return job.sends.some(isHeld)
    ? `${effect} ${vscode.l10n.t('What is held goes when that run has ended well.')}`
    : effect;
}

function stateEffect(job: TrackedJob): string {
  switch (jobStatus(job)) {
    case 'failed':
      return vscode.l10n.t('This job failed: a follow-up takes it up again.');
    case 'archived':
      return vscode.l10n.t('This job is archived: the service may refuse a follow-up.');
    default:
      return vscode.l10n.t('This job has ended: a follow-up takes it up again.');
  }
}

/**
 * Returns when to send a follow-up that a person has just requested. Asks if it interrupts the job or might do so;
 * otherwise `now`. Undefined if they decide not to send. Not needed where the interface offers both times, or for a
 * prompt from a program.
 *
 * @param waits whether it already waits for the end of the run, and this is about sending it earlier
 */
export async function whenToSend(job: TrackedJob, waits = false): Promise<SendTime | undefined> {
  if (mayInterrupt(job)) {
    return mayGo();
  }
  const { send, sendLater } = followUpWords(job);
  if (sendLater === undefined) {
    return 'now';
  }
  const text = vscode.l10n.t('Interrupt the present work of this job?');
  const detail = vscode.l10n.t(
    'It is still running. A follow-up that is sent now stops what the agent is doing and starts it on the new prompt.',
  );
  // Enter selects the first choice, and pressing Enter twice in the box must not interrupt a run.
  const acts = waits ? [send] : [sendLater, send];
  const choice = await vscode.window.showWarningMessage(text, { modal: true, detail }, ...acts);
  return choice === undefined ? undefined : choice === send ? 'now' : 'ended';
}

async function mayGo(): Promise<SendTime | undefined> {
  const text = vscode.l10n.t('Send while an earlier follow-up may be at work?');
  const detail = vscode.l10n.t(
    'No answer came to an earlier follow-up, so the agent may be working on it, and a further one would stop that work. Look at the job at its service first, or send it now.',
  );
  const send = vscode.l10n.t('Send now');
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
 * @throws SendCancelled if they decide not to send; the text stays where it is
 */
export async function keepFollowUp(
  { store, sender }: FollowUpParts,
  job: TrackedJob,
  prompt: string,
  time?: SendTime,
): Promise<Sending> {
  // The job may have ended or restarted since the box opened.
  const now = store.get(job.key) ?? job;
  const chosen = time ?? (await whenToSend(now));
  if (chosen === undefined) {
    throw new SendCancelled('stay');
  }
  return sender.followUp(now, prompt, chosen);
}
