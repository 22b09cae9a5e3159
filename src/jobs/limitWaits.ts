import { type Backoff, growingDelay } from '../shared/util/backoff';
import type { Clock } from '../shared/util/clock';
import type { Send } from './trackedJob';

/** A service that answers 429 again and again is asked ever more rarely, whatever it or a wrong clock says of the wait. */
const GROWTH: Backoff = { baseMs: 5000, capMs: 300_000 };

/** How long a limit is taken to last when the service does not say, in milliseconds. */
const DEFAULT_LIMIT_MS = 300_000;

/** After this long without a refusal a line starts over, in milliseconds. */
const FORGET_MS = 2 * GROWTH.capMs;

/**
 * How long a prompt waits that was refused with 429. The wait grows with each refusal in a row of its line, in this
 * window, and with each refusal of the prompt itself, in any window and before a restart: its records tell.
 */
export class LimitWaits {
  private readonly lines = new Map<string, { refusals: number; at: number }>();

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly random: () => number,
  ) {}

  /** Counts a refusal. Returns milliseconds to wait. */
  refused(line: string, send: Send, retryAfterMs: number = DEFAULT_LIMIT_MS): number {
    const now = this.clock.monotonic();
    const last = this.lines.get(line);
    const inLine = last === undefined || now - last.at > FORGET_MS ? 0 : last.refusals;
    const refusals = Math.max(inLine, send.refusals ?? 0) + 1;
    this.lines.set(line, { refusals, at: now });
    return growingDelay(GROWTH, refusals, this.random(), retryAfterMs);
  }

  /** The service took a prompt of this line. */
  accepted(line: string): void {
    this.lines.delete(line);
  }
}
