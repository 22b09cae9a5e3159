import { type Backoff, type Clock, growingDelay, MAX_RETRY_AFTER_MS } from '../base/async';
import type { Logger } from '../base/logger';
import { ServiceError } from '../protocol/errors';
import type { ServiceLocation, JobEvent, SendFailureReason, SendKind } from './events';
import type { JobStore } from './jobStore';
import type { JobApi, ServiceConnection, QuotaLedger } from './ports';
import { toSnapshot } from './snapshot';
import { findSend, isUnsent, type OutgoingPrompt, type TrackedJob } from './trackedJob';
import { getRunWaitReason, getWaitReasonAfter, waitsForRun } from './waiting';

export interface DeliveryOptions {
  store: JobStore;
  api: JobApi;
  budget: QuotaLedger;
  clock: Clock;
  /** A number in [0, 1). */
  random: () => number;
  log: Logger;
}

/**
 * Returns the queue of a prompt. Prompts of one kind to one project share a rate limit and are sent in the order typed.
 */
export function getLineName(home: ServiceLocation, kind: SendKind): string {
  return `${home.service} ${home.projectId} ${kind}`;
}

/**
 * Makes one attempt to send a prompt: open the service, reserve a place in the hourly budget, claim exclusively, POST
 * once, record the outcome.
 */
export class Delivery {
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly limits: RateLimitBackoff;
  private isEnding = false;

  constructor(private readonly options: DeliveryOptions) {
    this.limits = new RateLimitBackoff(options.clock, options.random);
  }

  /** True while this window is sending the prompt. */
  isUnderWay(sendId: string): boolean {
    return this.inFlight.has(sendId);
  }

  /**
   * Resolves when the outcome is known and recorded, or when another window turns out to hold the claim. Never rejects.
   *
   * @param asked true if the user asked for it just now: our own budget is then no reason to wait, only the service's
   * limit is
   */
  attempt(key: string, sendId: string, asked = false): Promise<void> {
    let attempt = this.inFlight.get(sendId);
    if (attempt === undefined) {
      attempt = this.attemptOnce(key, sendId, asked).finally(() => this.inFlight.delete(sendId));
      this.inFlight.set(sendId, attempt);
    }
    return attempt;
  }

  /**
   * Stops claiming sends. Resolves once every in-flight send has its outcome on disk, or the write has failed. Never
   * rejects.
   */
  async end(): Promise<void> {
    this.isEnding = true;
    await Promise.all(this.inFlight.values());
  }

  private async attemptOnce(key: string, sendId: string, asked: boolean): Promise<void> {
    const { store, log } = this.options;
    const job = store.get(key);
    if (job === undefined || this.isEnding) {
      return;
    }
    try {
      const outcome = await this.deliver(job, sendId, asked);
      if (outcome === undefined) {
        await store.reload(key);
      } else if (!isSameOutcome(outcome, findSend(store.get(key) ?? job, sendId))) {
        await store.keep(key, outcome);
      }
    } catch (error) {
      log.error(`couldn’t send a prompt of job ${key}`, error);
    }
  }

  /**
   * Returns undefined if another window holds the claim, and with it the duty to record the outcome, or if this window
   * is closing.
   */
  private async deliver(job: TrackedJob, sendId: string, asked: boolean): Promise<JobEvent | undefined> {
    const { clock, log, budget } = this.options;
    const send = findSend(job, sendId);
    if (!isUnsent(send) || (!asked && waitsForRun(send))) {
      // Another window was faster. The claim number below comes from the same state, so it can't be the next one.
      return undefined;
    }
    const name = getLineName(job.home, send.kind);
    let attempt = send.attempt;
    let place: string | undefined;
    try {
      const line = await this.openConnection(job.home);
      const taken = await budget.take(name, clock.now()).catch(() => undefined);
      if (taken !== undefined && 'waitMs' in taken && !asked) {
        return toThrottledOutcome(sendId, attempt, { kind: 'limit', code: 'BUDGET' }, clock.now(), taken.waitMs);
      }
      place = taken !== undefined && 'place' in taken ? taken.place : undefined;
      if (this.isEnding || !(await this.claimSend(job.key, sendId, attempt + 1))) {
        await this.giveBack(name, place);
        return undefined;
      }
      attempt++;
      if (send.afterRun && !(await this.isItsTurn(job.key, sendId))) {
        await this.giveBack(name, place);
        const reason = { kind: 'unreachable' as const, code: 'TURN' };
        return { type: 'notSent', at: clock.now(), send: sendId, attempt, reason };
      }
      const answer =
        send.kind === 'create'
          ? await line.create(send.prompt)
          : await line.message(job.snapshot?.id ?? '', send.prompt);
      this.limits.accepted(name);
      return { type: 'created', at: clock.now(), send: sendId, job: toSnapshot(answer), home: job.home };
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        throw error;
      }
      const isLimit = error.kind === 'limit' && error.effect === 'refused';
      const waitMs = isLimit ? this.limits.refused(name, send, error.retryAfterMs) : undefined;
      const outcome = outcomeOf(error, sendId, attempt, clock.now(), waitMs);
      log.warn(`a prompt of job ${job.key} ${OUTCOME_LOG_TEXT[outcome.type]}`, error);
      if (error.effect === 'none' || isLimit) {
        // A request refused by the rate limit does not count toward the service's hour, so it does not count toward
        // ours.
        await this.giveBack(name, place);
      }
      return outcome;
    }
  }

  /** A locked keyring or a service that can't be started is treated like an unreachable service: nothing was sent. */
  private openConnection(home: ServiceLocation): Promise<ServiceConnection> {
    return this.options.api.open(home).catch(rethrowAsNotSent);
  }

  private claimSend(key: string, sendId: string, attempt: number): Promise<boolean> {
    return this.options.store.claimSend(key, sendId, attempt).catch(rethrowAsNotSent);
  }

  /** Rereads the job from disk first, so as not to interrupt a run that another window has started in the meantime. */
  private async isItsTurn(key: string, sendId: string): Promise<boolean> {
    const { store } = this.options;
    await store.reload(key).catch(rethrowAsNotSent);
    const job = store.get(key);
    return job !== undefined && getRunWaitReason(job, findSend(job, sendId)) === undefined;
  }

  private async giveBack(name: string, place: string | undefined): Promise<void> {
    if (place !== undefined) {
      const { budget, log } = this.options;
      await budget
        .giveBack(name, place)
        .catch((error: unknown) => log.warn('couldn’t give back a slot of the rate limit', error));
    }
  }
}

function rethrowAsNotSent(error: unknown): never {
  if (error instanceof ServiceError) {
    throw error;
  }
  const detail = error instanceof Error ? error.message : String(error);
  throw new ServiceError('unreachable', { effect: 'none', code: 'SETUP', detail, cause: error });
}

/** True if the outcome is nothing new: a send that fails for days must not fill disk and memory. */
function isSameOutcome(outcome: JobEvent, { attempt, reason, obstacle }: OutgoingPrompt): boolean {
  return (
    'reason' in outcome &&
    outcome.attempt === attempt &&
    getWaitReasonAfter(outcome)?.for === obstacle?.for &&
    (['kind', 'code', 'status', 'detail', 'until'] as const).every((of) => outcome.reason[of] === reason?.[of])
  );
}

/** For the log. */
const OUTCOME_LOG_TEXT = {
  unconfirmed: 'was sent, but the service didn’t respond',
  throttled: 'is queued: rate limit',
  notSent: 'wasn’t sent and is queued',
  rejected: 'was rejected',
};

type Refusal = Extract<JobEvent, { type: keyof typeof OUTCOME_LOG_TEXT }>;

/** Builds the outcome for a prompt that has to wait for a period of time. */
export function toThrottledOutcome(
  send: string,
  attempt: number,
  reason: SendFailureReason,
  at: number,
  waitMs: number,
): Refusal {
  return {
    type: 'throttled',
    at,
    send,
    attempt,
    reason: { ...reason, until: at + Math.min(waitMs, MAX_RETRY_AFTER_MS) },
  };
}

/**
 * Returns the milliseconds that a prompt still has to wait, never more than the original wait even if the wall clock
 * was set back.
 */
export function getRemainingWait({ reason, settledAt }: OutgoingPrompt, now: number): number {
  const until = reason?.until ?? 0;
  return Math.min(Math.max(0, until - now), Math.max(0, until - (settledAt ?? until)), MAX_RETRY_AFTER_MS);
}

/**
 * Returns when the remaining wait ends by the current clock, which may have been set since the wait began; undefined if
 * there is no wait.
 */
export function remainingUntil(send: OutgoingPrompt, now: number): number | undefined {
  const waitMs = getRemainingWait(send, now);
  return waitMs === 0 ? undefined : now + waitMs;
}

/**
 * Maps an error to the outcome for the prompt (requirements: the table of outcomes).
 *
 * @param waitMs how long to wait for the service's rate limit; undefined if the limit was not the cause
 */
function outcomeOf(error: ServiceError, send: string, attempt: number, at: number, waitMs?: number): Refusal {
  const { kind, status, code, detail, coded } = error;
  const reason: SendFailureReason = { kind, status, code, detail, coded };
  if (error.effect === 'unknown') {
    return { type: 'unconfirmed', at, send, attempt, reason };
  }
  if (waitMs !== undefined) {
    return toThrottledOutcome(send, attempt, reason, at, waitMs);
  }
  const passing = error.effect === 'none' && (kind === 'unreachable' || kind === 'timeout' || kind === 'aborted');
  return { type: passing ? 'notSent' : 'rejected', at, send, attempt, reason };
}

/** A service that keeps answering 429 is asked less and less often, whatever wait it, or a wrong clock, suggests. */
const GROWTH: Backoff = { baseMs: 5000, capMs: 300_000 };

/** How long a rate limit is assumed to last if the service does not say, in milliseconds. */
const DEFAULT_LIMIT_MS = 300_000;

/** After this long without a refusal, a line's count is reset, in milliseconds. */
const FORGET_MS = 2 * GROWTH.capMs;

/**
 * Computes how long a prompt refused with 429 waits. The wait grows with each consecutive refusal of its line in this
 * window, and with each refusal of the prompt itself, in any window and across restarts, as recorded.
 */
export class RateLimitBackoff {
  private readonly lines = new Map<string, { refusals: number; at: number }>();

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly random: () => number,
  ) {}

  /** Counts a refusal. Returns the milliseconds to wait. */
  refused(line: string, send: OutgoingPrompt, retryAfterMs: number = DEFAULT_LIMIT_MS): number {
    const now = this.clock.monotonic();
    const last = this.lines.get(line);
    const inLine = last === undefined || now - last.at > FORGET_MS ? 0 : last.refusals;
    const refusals = Math.max(inLine, send.refusals ?? 0) + 1;
    this.lines.set(line, { refusals, at: now });
    return growingDelay(GROWTH, refusals, this.random(), retryAfterMs);
  }

  /** Resets the count: the service accepted a prompt of this line. */
  accepted(line: string): void {
    this.lines.delete(line);
  }
}
