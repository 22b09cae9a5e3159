import type { Clock } from '../../base/async';
import type { Logger } from '../../base/logger';

const INTERVAL_MS = 60_000;

/** Logs what anyone can cause without a key: at most one line per minute, with the number of times. */
export class LimitedWarning {
  private count = 0;
  private loggedAt = -Infinity;

  constructor(
    private readonly message: string,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  add(error?: unknown): void {
    this.count += 1;
    const now = this.clock.monotonic();
    if (now - this.loggedAt >= INTERVAL_MS) {
      this.log.warn(`${this.message}: ${this.count}`, error);
      this.loggedAt = now;
      this.count = 0;
    }
  }
}
