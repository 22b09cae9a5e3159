import pLimit, { type LimitFunction } from 'p-limit';
import { type Clock, delay } from './async';

/** Limits the requests to one service: how many run at a time, and how many start per second. */
export class RateLimit {
  private readonly limit: LimitFunction;
  private readonly spacingMs: number;
  private nextStart = 0;

  constructor(
    private readonly clock: Clock,
    { atOnce, perSecond }: { atOnce: number; perSecond: number },
  ) {
    this.limit = pLimit(atOnce);
    this.spacingMs = 1000 / perSecond;
  }

  /** Runs a request in its turn. Rejects with the signal's reason if that aborts first. */
  run<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.limit(async () => {
      const now = this.clock.monotonic();
      const start = Math.max(now, this.nextStart);
      this.nextStart = start + this.spacingMs;
      if (start > now) {
        await delay(this.clock, start - now, signal);
      }
      return request();
    });
  }
}
