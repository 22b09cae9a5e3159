import { backoffDelay, type Clock, MAX_RETRY_AFTER_MS } from './async';

export interface BackoffOptions {
  /** The wait after the first failure, and the longest one, in milliseconds. */
  baseMs: number;
  capMs: number;
  clock: Pick<Clock, 'monotonic'>;
  /** A number in [0, 1). */
  random: () => number;
}

/** Counts consecutive failures of something, and says how long to leave it alone. */
export class Backoff {
  private count = 0;
  /** Monotonic time before which we don't try again, and before which we were asked not to. */
  private notBefore = -Infinity;
  private askedNotBefore = -Infinity;

  constructor(private readonly options: BackoffOptions) {}

  /** The number of consecutive failures. */
  get failures(): number {
    return this.count;
  }

  /** Milliseconds until the next try. */
  get waitMs(): number {
    return Math.max(this.askedMs, this.notBefore - this.options.clock.monotonic());
  }

  /** Milliseconds for which we were asked to wait, which even a user who wants it now doesn't change. */
  get askedMs(): number {
    return Math.max(0, this.askedNotBefore - this.options.clock.monotonic());
  }

  /** @param retryAfterMs the wait that was asked for */
  fail(retryAfterMs = 0): void {
    const { clock, random } = this.options;
    const now = clock.monotonic();
    this.count++;
    this.notBefore = now + backoffDelay(this.options, this.count, random());
    this.askedNotBefore = Math.max(this.askedNotBefore, now + Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  }

  /** Returns true if it had failed before. */
  succeed(): boolean {
    const hadFailed = this.count > 0;
    this.count = 0;
    this.notBefore = -Infinity;
    return hadFailed;
  }
}
