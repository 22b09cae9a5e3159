import { backoffDelay, type Clock } from './async';
import { MAX_RETRY_AFTER_MS } from './limits';

export interface BackoffOptions {
  /** The wait after the first failure, and the longest one, in milliseconds. */
  baseMs: number;
  capMs: number;
  clock: Pick<Clock, 'monotonic'>;
  /** A number in [0, 1). */
  random: () => number;
}

/** Counts consecutive failures of something, and says until when to leave it alone. Monotonic times. */
export class Backoff {
  private count = 0;
  private ownNotBefore = -Infinity;
  private askedNotBefore = -Infinity;

  constructor(private readonly options: BackoffOptions) {}

  /** The number of consecutive failures. */
  get failures(): number {
    return this.count;
  }

  /** When to try again; in the past if there is nothing to wait for. */
  get notBefore(): number {
    return Math.max(this.askedNotBefore, this.ownNotBefore);
  }

  /** Until when we were asked to wait, which even a user who wants it now doesn't change. */
  get askedUntil(): number {
    return this.askedNotBefore;
  }

  /** @param retryAfterMs the wait that was asked for */
  fail(retryAfterMs = 0): void {
    const { clock, random } = this.options;
    const now = clock.monotonic();
    this.count++;
    this.ownNotBefore = now + backoffDelay(this.options, this.count, random());
    this.askedNotBefore = Math.max(this.askedNotBefore, now + Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  }

  /** Returns true if it had failed before. */
  succeed(): boolean {
    const hadFailed = this.count > 0;
    this.count = 0;
    this.ownNotBefore = -Infinity;
    return hadFailed;
  }
}
