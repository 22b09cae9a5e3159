import type { JobEvent } from './events';
import type { OutgoingPrompt, TrackedJob } from './trackedJob';

/** What a waiting prompt waits for. It is sent automatically once that is available, unless it is `held`. */
export type Waiting =
  /** The service could not be reached, and no part of the prompt was sent. */
  | { readonly for: 'network' }
  /** This machine was not ready to send: the keyring is locked, or the local service does not start. */
  | { readonly for: 'setup' }
  /** The service's rate limit, or our own hourly budget for it, is used up. `until` is wall time in milliseconds. */
  | { readonly for: 'rateLimit'; readonly until: number }
  /** The service rejected the key, or there is none. */
  | { readonly for: 'apiKey'; readonly isMissing: boolean }
  /**
   * With `job`, another prompt to the same job must be settled and its run over. With `project`, prompts to the same
   * project that were typed earlier are sent first.
   */
  | { readonly for: 'earlierPrompt'; readonly of: 'job' | 'project' }
  /**
   * The end of the job's current run. The prompt is `held` if that run `ended` in another way than by completing, or if
   * a follow-up may have been received, so that it is `unsure` whether the job is running. Then the user decides, or a
   * later run of the job completes.
   */
  | { readonly for: 'runEnd'; readonly held?: 'ended' | 'unsure' | undefined };

/**
 * Returns what a prompt waits for after this outcome of a send attempt, or undefined if it is no longer sent
 * automatically.
 */
export function getWaitReasonAfter({ type, reason }: Extract<JobEvent, { reason: unknown }>): Waiting | undefined {
  switch (type) {
    case 'notSent':
      if (reason.code === 'TURN') {
        return { for: 'earlierPrompt', of: 'project' };
      }
      return { for: reason.code === 'SETUP' ? 'setup' : 'network' };
    case 'throttled':
      return { for: 'rateLimit', until: reason.until ?? 0 };
    case 'needsKey':
      return { for: 'apiKey', isMissing: reason.code === 'NO_KEY' };
    case 'rejected':
    case 'unconfirmed':
      return undefined;
  }
}

/**
 * Returns what a prompt in state `waiting` waits for: first its run, then the outcome of its last attempt, then its
 * turn.
 */
export function getWaitReason(job: TrackedJob, prompt: OutgoingPrompt): Waiting {
  return getRunWaitReason(job, prompt) ?? prompt.obstacle ?? { for: 'earlierPrompt', of: 'project' };
}

/**
 * Returns what the prompt waits for because of its job's runs, whatever its state; undefined if no run keeps it back.
 */
export function getRunWaitReason(job: TrackedJob, prompt: OutgoingPrompt): Waiting | undefined {
  if (!prompt.afterRun) {
    return undefined;
  }
  if (job.endedAt === undefined) {
    return { for: 'runEnd' };
  }
  if (job.prompts.some((other) => other.id !== prompt.id && willStartRun(other))) {
    return { for: 'earlierPrompt', of: 'job' };
  }
  if (job.snapshot?.status !== 'completed') {
    return { for: 'runEnd', held: 'ended' };
  }
  if (job.mayRun === true) {
    return { for: 'runEnd', held: 'unsure' };
  }
  const index = job.prompts.findIndex(({ id }) => id === prompt.id);
  const isAfterAnother = job.prompts.some(
    ({ afterRun, state }, at) => at < index && afterRun && state !== 'created' && state !== 'discarded',
  );
  return isAfterAnother ? { for: 'earlierPrompt', of: 'job' } : undefined;
}

/** True while the prompt waits for a run of its job to end, so that the send queue ignores it. */
export function waitsForRun({ waiting }: OutgoingPrompt): boolean {
  return waiting?.for === 'runEnd' || (waiting?.for === 'earlierPrompt' && waiting.of === 'job');
}

/** True for a prompt that could not be sent, so that the connection is probed first. */
export function waitsForConnection({ waiting }: OutgoingPrompt): boolean {
  return waiting?.for === 'network' || waiting?.for === 'setup';
}

/** True for a prompt that the send loop sends as soon as it can. */
export function isSentAutomatically(prompt: OutgoingPrompt): boolean {
  return prompt.state === 'waiting' && !waitsForRun(prompt);
}

/** True for a prompt that is sent only when the user says so, or after a later run that ends well. */
export function isHeld({ waiting }: OutgoingPrompt): boolean {
  return waiting?.for === 'runEnd' && waiting.held !== undefined;
}

export function heldPrompts(job: TrackedJob): readonly OutgoingPrompt[] {
  return job.prompts.filter(isHeld);
}

/** True while the prompt is being sent to the job, or will be sent without waiting for runs. */
function willStartRun({ kind, state, afterRun }: OutgoingPrompt): boolean {
  const onItsWay = state === 'queued' || state === 'sending';
  return kind === 'followUp' && (onItsWay || (state === 'waiting' && !afterRun));
}
