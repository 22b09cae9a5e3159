import pLimit, { type LimitFunction } from 'p-limit';
import { type Backoff, backoffDelay, type Clock, delay, MAX_RETRY_AFTER_MS } from '../base/async';
import type { Disposable } from '../base/disposable';
import type { ServiceErrorKind } from '../protocol/errors';

/** Maximum number of concurrent requests to one service, and of requests started per second. */
const AT_ONCE = 4;
const SPACING_MS = 1000 / AT_ONCE;

export const BACKOFF: Backoff = { baseMs: 1000, capMs: 300_000 };

/**
 * Shared by the jobs of one service: limits concurrent requests and acts as a circuit breaker. After a failure of the
 * service no job polls on its own; one probe at a time is sent until an answer comes (Nygard, "Release It!").
 */
export class PollLimiter {
  private readonly limit: LimitFunction = pLimit(AT_ONCE);
  private nextStart = 0;
  private failures = 0;
  /** Monotonic time before which the service wants no requests. */
  private notBefore = -Infinity;
  /** Monotonic time of the last answer. */
  answeredAt = -Infinity;
  /** Why the service can't be polled; undefined while it can. */
  failure: ServiceErrorKind | undefined;

  constructor(private readonly clock: Clock) {}

  /** Number of consecutive failures. */
  get failed(): number {
    return this.failures;
  }

  /** True while the service has asked for no requests. */
  get isBackingOff(): boolean {
    return this.clock.monotonic() < this.notBefore;
  }

  /** Runs a request within the limits, so that jobs that fall due together, such as after sleep, cause no burst. */
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

  /** Returns the milliseconds until a job's next request: `wait`, or longer if the service asked for that. */
  atLeast(wait: number): number {
    return Math.max(wait, this.notBefore - this.clock.monotonic());
  }

  /** Milliseconds until the next probe. */
  probeDelay(random: number): number {
    return backoffDelay(BACKOFF, this.failures, random, this.atLeast(0));
  }

  /**
   * Counts a failure. Several concurrent requests count as one failure, and requests from before a success do not
   * count.
   *
   * @param failedBefore the number of failures when the request began
   */
  fail(kind: ServiceErrorKind, failedBefore: number, retryAfterMs = 0): void {
    this.failure = kind;
    this.failures = Math.max(this.failures, Math.min(this.failures, failedBefore) + 1);
    const asked = this.clock.monotonic() + Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    this.notBefore = Math.max(this.notBefore, asked);
  }

  /** Records an answer of the service. Returns true if it had failed before. */
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
  line: PollLimiter;
  /** True while the service announces changes of jobs itself. */
  tells: boolean;
  /** The timer of the probe while the service fails. */
  probe?: Disposable | undefined;
}
