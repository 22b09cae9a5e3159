import { type BackoffRange, growingDelay } from '../base/async';
import { MAX_RETRY_AFTER_MS } from '../base/limits';
import { ServiceError } from '../protocol/errors';
import type { JobEvent, RecordedEvent, FailureReason } from './events';
import type { OutgoingPrompt } from './trackedJob';
import { getWaitReasonAfter } from './waiting';

/** The outcome of an attempt to send a prompt that the service has not accepted. */
export type Refusal = Extract<JobEvent, { reason: FailureReason }>;

/** A service that keeps answering 429 is asked less and less often, whatever wait it, or a wrong clock, suggests. */
const LIMITED: BackoffRange = { baseMs: 5000, capMs: 300_000 };

/** How long a rate limit is assumed to last if the service does not say, in milliseconds. */
const DEFAULT_LIMIT_MS = 300_000;

/** Maps an error to the outcome for the prompt (requirements: the table of outcomes). */
export function outcomeOf(
  error: ServiceError,
  { id, refusals = 0 }: OutgoingPrompt,
  attempt: number,
  now: number,
  random: number,
): Refusal {
  const { kind, status, code, detail, coded, effect, retryAfterMs = DEFAULT_LIMIT_MS } = error;
  const reason: FailureReason = { kind, status, code, detail, coded };
  if (effect === 'unknown') {
    return { type: 'unconfirmed', at: now, promptId: id, attempt, reason };
  }
  if (isLimit(error)) {
    return throttled(id, attempt, reason, now, growingDelay(LIMITED, refusals + 1, random, retryAfterMs));
  }
  if (kind === 'unauthorized') {
    return { type: 'needsKey', at: now, promptId: id, attempt, reason };
  }
  const isTransient = effect === 'none' && (kind === 'unreachable' || kind === 'timeout' || kind === 'aborted');
  return { type: isTransient ? 'notSent' : 'rejected', at: now, promptId: id, attempt, reason };
}

export function isLimit({ kind, effect }: ServiceError): boolean {
  return kind === 'limit' && effect === 'refused';
}

/** The outcome for a prompt that has to wait for a period of time. */
export function throttled(
  promptId: string,
  attempt: number,
  reason: FailureReason,
  at: number,
  waitMs: number,
): Refusal {
  const until = at + Math.min(waitMs, MAX_RETRY_AFTER_MS);
  return { type: 'throttled', at, promptId, attempt, reason: { ...reason, until } };
}

/**
 * Returns the milliseconds that a prompt still has to wait, never more than the original wait even if the wall clock
 * was set back.
 */
export function remainingWait({ reason, settledAt }: OutgoingPrompt, now: number): number {
  const until = reason?.until ?? 0;
  return Math.min(Math.max(0, until - now), Math.max(0, until - (settledAt ?? until)), MAX_RETRY_AFTER_MS);
}

/**
 * Repeats the last outcome of a prompt for a later attempt, or for another prompt. A wait ends when it would have ended,
 * by the current clock, which may have been set since.
 */
export function repeated(
  events: readonly RecordedEvent[],
  prompt: OutgoingPrompt,
  to: Pick<OutgoingPrompt, 'id' | 'attempt'>,
  now: number,
): Refusal {
  const last = events.findLast(({ event }) => 'reason' in event && event.promptId === prompt.id)?.event;
  const { type, reason } =
    last !== undefined && 'reason' in last
      ? last
      : { type: 'notSent' as const, reason: { kind: 'unreachable' as const, code: 'TURN' } };
  const waitMs = remainingWait(prompt, now);
  const until = waitMs === 0 ? undefined : now + waitMs;
  return { type, at: now, promptId: to.id, attempt: to.attempt, reason: { ...reason, until } };
}

/** True if the outcome is nothing new: a prompt that fails for days must not fill disk and memory. */
export function isSameOutcome(outcome: JobEvent, { attempt, reason, obstacle }: OutgoingPrompt): boolean {
  return (
    'reason' in outcome &&
    outcome.attempt === attempt &&
    getWaitReasonAfter(outcome)?.for === obstacle?.for &&
    (['kind', 'code', 'status', 'detail', 'until'] as const).every((of) => outcome.reason[of] === reason?.[of])
  );
}

/** A failure on this machine, such as a locked keyring, is treated like an unreachable service: nothing was sent. */
export function toNotSent(error: unknown): ServiceError {
  if (error instanceof ServiceError) {
    return error;
  }
  const detail = error instanceof Error ? error.message : String(error);
  return new ServiceError('unreachable', { effect: 'none', code: 'SETUP', detail, cause: error });
}
