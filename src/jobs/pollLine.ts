import pLimit, { type LimitFunction } from 'p-limit';
import { type Backoff, backoffDelay, type Clock, delay, MAX_RETRY_AFTER_MS } from '../base/async';
import type { Disposable } from '../base/disposable';
import type { ServiceErrorKind } from '../protocol/errors';

/** Requests under way at once to one service, and started within one second. */
const AT_ONCE = 4;
const SPACING_MS = 1000 / AT_ONCE;

export const BACKOFF: Backoff = { baseMs: 1000, capMs: 300_000 };

/**
 * What the jobs of one service share: few requests at once, and a circuit breaker. After a failure that is the
 * service's, no job asks on its own; one probe at a time goes out until an answer comes (Nygard, "Release It!").
 */
export class PollLine {
  private readonly limit: LimitFunction = pLimit(AT_ONCE);
  private nextStart = 0;
  private failures = 0;
  /** Monotonic time before which the service wants no request. */
  private notBefore = -Infinity;
  /** Monotonic time of the last answer. */
  answeredAt = -Infinity;
  /** Why the service can't be asked; undefined while it can. */
  failure: ServiceErrorKind | undefined;

  constructor(private readonly clock: Clock) {}

  /** How often it failed in a row. */
  get failed(): number {
    return this.failures;
  }

  /** True while the service asked for no request. */
  get rests(): boolean {
    return this.clock.monotonic() < this.notBefore;
  }

  /** Runs a request in its turn: jobs that fall due together, such as after a sleep, make no burst. */
  inTurn(signal: AbortSignal, request: () => Promise<void>): Promise<void> {
    return this.limit(async () => {
      const now = this.clock.monotonic();
      const start = Math.max(now, this.nextStart);
      this.nextStart = start + SPACING_MS;
      if (start > now) {
        await delay(this.clock, start - now, signal);
      }
      await request();
    });
  }

  /** Milliseconds until the next request of a job that would come after `wait`, at the earliest. */
  atLeast(wait: number): number {
    return Math.max(wait, this.notBefore - this.clock.monotonic());
  }

  /** Milliseconds until the next probe. */
  probeDelay(random: number): number {
    return backoffDelay(BACKOFF, this.failures, random, this.atLeast(0));
  }

  /**
   * Several requests that were under way together count as one failure, and none from before a success counts.
   *
   * @param failedBefore how often it had failed when the request began
   */
  fail(kind: ServiceErrorKind, failedBefore: number, retryAfterMs = 0): void {
    this.failure = kind;
    this.failures = Math.max(this.failures, Math.min(this.failures, failedBefore) + 1);
    const asked = this.clock.monotonic() + Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    this.notBefore = Math.max(this.notBefore, asked);
  }

  /** The service has answered. True when it had failed before. */
  succeed(): boolean {
    const recovered = this.failures > 0;
    this.answeredAt = this.clock.monotonic();
    this.failures = 0;
    this.failure = undefined;
    return recovered;
  }
}

/** What the jobs of one service share. */
export interface PolledService {
  line: PollLine;
  /** It says by itself when a job changes. */
  tells: boolean;
  /** The timer of the probe while it fails. */
  probe?: Disposable | undefined;
}
