import type { Clock } from '../base/async';
import type { Logger } from '../base/logger';

/**
 * Logs what anyone can cause without a key, and what fails again and again while the database is gone: at most one line
 * per minute, with the number of times.
 */
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
    if (now - this.loggedAt >= 60_000) {
      this.log.warn(`${this.message}: ${this.count}`, error);
      this.loggedAt = now;
      this.count = 0;
    }
  }
}
