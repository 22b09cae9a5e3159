import type { JobEvent } from './events';
import type { OutgoingPrompt, TrackedJob } from './trackedJob';

/** What a kept prompt waits for. It goes by itself once that is there, unless it is `held`. */
export type Waiting =
  /** The service could not be reached, and nothing of the prompt was sent. */
  | { readonly for: 'network' }
  /** This machine was not ready to send it: the keyring is locked, or the local service does not start. */
  | { readonly for: 'setup' }
  /** The service's limit, or as many prompts as it allows in an hour. `until` is wall time in milliseconds. */
  | { readonly for: 'rateLimit'; readonly until: number }
  /** The service rejected the key, or there is none. */
  | { readonly for: 'apiKey'; readonly isMissing: boolean }
  /** One to the same `job` must be settled and its run be over; or those to the same `project` that were typed before go first. */
  | { readonly for: 'earlierPrompt'; readonly of: 'job' | 'project' }
  /**
   * The end of the job's present run. It is `held` where that run ended badly, or where it is `unsure` whether the job runs
   * because a follow-up may have been received: then the user decides, or a later run of the job ends well.
   */
  | { readonly for: 'runEnd'; readonly held?: 'failed' | 'archived' | 'unsure' | undefined };

/** What a prompt waits for after this outcome of a try to send it; undefined when it does not go by itself any more. */
export function waitingAfter({ type, reason }: Extract<JobEvent, { reason: unknown }>): Waiting | undefined {
  switch (type) {
    case 'notSent':
      if (reason.code === 'TURN') {
        return { for: 'earlierPrompt', of: 'project' };
      }
      return { for: reason.code === 'SETUP' ? 'setup' : 'network' };
    case 'throttled':
      return { for: 'rateLimit', until: reason.until ?? 0 };
    case 'rejected':
      return reason.kind === 'unauthorized' ? { for: 'apiKey', isMissing: reason.code === 'NO_KEY' } : undefined;
    case 'unconfirmed':
      return undefined;
  }
}

/** What a prompt in state `waiting` waits for: first its run, then what its last try met, then its turn. */
export function waitingFor(job: TrackedJob, prompt: OutgoingPrompt): Waiting {
  return keptBackByRun(job, prompt) ?? prompt.obstacle ?? { for: 'earlierPrompt', of: 'project' };
}

/** What the runs of its job have against sending a prompt now, whatever its state is. */
export function keptBackByRun(job: TrackedJob, prompt: OutgoingPrompt): Waiting | undefined {
  if (!prompt.afterRun) {
    return undefined;
  }
  if (job.endedAt === undefined) {
    return { for: 'runEnd' };
  }
  if (job.sends.some((other) => other.id !== prompt.id && beginsRun(other))) {
    return { for: 'earlierPrompt', of: 'job' };
  }
  if (job.snapshot?.status !== 'completed') {
    return { for: 'runEnd', held: job.snapshot?.status === 'archived' ? 'archived' : 'failed' };
  }
  if (job.mayRun === true) {
    return { for: 'runEnd', held: 'unsure' };
  }
  const index = job.sends.findIndex(({ id }) => id === prompt.id);
  return job.sends.some((other, at) => at < index && other.afterRun && isOpen(other))
    ? { for: 'earlierPrompt', of: 'job' }
    : undefined;
}

/** True while it waits for a run of its job to end, and so is no matter of the send queue. */
export function waitsForRun({ waiting }: OutgoingPrompt): boolean {
  return waiting?.for === 'runEnd' || (waiting?.for === 'earlierPrompt' && waiting.of === 'job');
}

/** True for one that could not be sent, so that the way is tried first. */
export function waitsForWay({ waiting }: OutgoingPrompt): boolean {
  return waiting?.for === 'network' || waiting?.for === 'setup';
}

/** True for one that the send queue sends as soon as that is possible. */
export function goesByItself(prompt: OutgoingPrompt): boolean {
  return prompt.state === 'waiting' && !waitsForRun(prompt);
}

/** True for one that goes only when the user says so, or after a later run that ends well. */
export function isHeld({ waiting }: OutgoingPrompt): boolean {
  return waiting?.for === 'runEnd' && waiting.held !== undefined;
}

export function heldSends(job: TrackedJob): readonly OutgoingPrompt[] {
  return job.sends.filter(isHeld);
}

function isOpen({ state }: OutgoingPrompt): boolean {
  return state !== 'created' && state !== 'discarded';
}

/** True while it is on its way to the job, or will be without regard to runs. */
function beginsRun({ kind, state, afterRun }: OutgoingPrompt): boolean {
  const onItsWay = state === 'queued' || state === 'sending';
  return kind === 'followUp' && (onItsWay || (state === 'waiting' && !afterRun));
}
