import * as vscode from 'vscode';
import { jobStatus } from '../../jobs/jobStatus';
import type { JobStore } from '../../jobs/jobStore';
import type { TrackedJob } from '../../jobs/trackedJob';
import { isHeld } from '../../jobs/waiting';
import type { SendTime } from '../platform/sendTime';
import { type OtherTime, SendCancelled } from './promptSession';
import type { Sender, Sending } from './sender';

/** What the places that take a follow-up say of it, in the state in which its job is. */
export interface FollowUpWords {
  /** What a send does now: a sentence for below or in an empty box. */
  effect: string;
  /** The act of sending now. */
  send: string;
  /** The act of sending after the present run; undefined when there is none to wait for. */
  sendLater: string | undefined;
}

/** The act of sending after the present run, for a box. */
export function atEnd(sendLater: string | undefined): OtherTime | undefined {
  return sendLater === undefined ? undefined : { time: 'ended', label: sendLater };
}

/** True while the service may be at work on it: a message would stop that (service documentation). */
export function interrupts(job: TrackedJob): boolean {
  return job.snapshot !== undefined && job.endedAt === undefined;
}

/** True while it has ended as far as is known, but a follow-up whose answer never came may have set it to work again. */
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
 * When a follow-up is to go that a person has asked for just now: at once where that interrupts nothing, else, or where
 * that is not certain, as they say. Undefined when they don’t want to send after all. Not to be asked where both ways were offered as acts of their
 * own, nor for a prompt that a program gave.
 *
 * @param waits it waits for the end of the run already, and this is about sending it before
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
  // The first one answers to Enter, and Enter twice in the box must not stop anybody's work.
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
 * Keeps a follow-up that a person typed, and asks first where it would interrupt its job.
 *
 * @param time when they, or a program, have said already
 * @throws SendCancelled when they don’t want to send after all; the text stays where it is
 */
export async function keepFollowUp(
  { store, sender }: FollowUpParts,
  job: TrackedJob,
  prompt: string,
  time?: SendTime,
): Promise<Sending> {
  // It may have ended, or been taken up again, since the box opened.
  const now = store.get(job.key) ?? job;
  const chosen = time ?? (await whenToSend(now));
  if (chosen === undefined) {
    throw new SendCancelled('stay');
  }
  return sender.followUp(now, prompt, chosen);
}
