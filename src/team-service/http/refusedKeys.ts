import type { Clock } from '../../base/async';
import type { Logger } from '../../base/logger';

const INTERVAL_MS = 60_000;

/** Logs requests whose key was refused: at most one line per minute, because anyone can send such requests. */
export class RefusedKeys {
  private count = 0;
  private loggedAt = -Infinity;

  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  add(): void {
    this.count += 1;
    const now = this.clock.monotonic();
    if (now - this.loggedAt >= INTERVAL_MS) {
      this.log.warn(`requests refused because of a missing or wrong key: ${this.count}`);
      this.loggedAt = now;
      this.count = 0;
    }
  }
}
