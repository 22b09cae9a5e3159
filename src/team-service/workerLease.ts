import { type Clock, delay } from '../base/async';
import { type Disposable, Emitter } from '../base/disposable';
import type { AgentLease } from '../local-service/agents/agentDriver';

/** A heartbeat that takes longer counts as failed, because the connection may be dead. In milliseconds. */
const LIMIT_MS = 8_000;

/**
 * The time for which a worker may run agents. Each heartbeat that succeeds extends it. When it runs out, the worker
 * ends its agents, well before the queue gives their turns to others. Each supervisor independently does the same,
 * because a suspended worker can't.
 */
export class WorkerLease implements AgentLease {
  /** On the monotonic clock, in milliseconds. */
  private until = 0;
  private isLost = true;
  private timer: Disposable | undefined;
  private readonly renewed = new Emitter<void>(() => undefined);

  /** @param onLost called when it has run out */
  constructor(
    private readonly clock: Clock,
    private readonly lengthMs: number,
    private readonly onLost: () => void,
  ) {}

  /** Checks the clock too: the timer may not have noticed yet that the lease has run out. */
  get isHeld(): boolean {
    if (this.remainingMs() === 0) {
      this.lose();
    }
    return !this.isLost;
  }

  remainingMs(): number {
    return Math.max(0, this.until - this.clock.monotonic());
  }

  onRenewed(listener: () => void): Disposable {
    return this.renewed.event(listener);
  }

  /** Extends the lease if the heartbeat succeeds; otherwise throws its error. */
  async extend(heartbeat: () => Promise<void>): Promise<void> {
    const begunAt = this.clock.monotonic();
    const over = new AbortController();
    const tooLong = delay(this.clock, LIMIT_MS, over.signal).then(() => {
      throw new Error('the database doesn’t answer');
    });
    try {
      await Promise.race([heartbeat(), tooLong]);
    } finally {
      tooLong.catch(() => undefined);
      over.abort();
    }
    if (this.remainingMs() === 0) {
      // The lease had already run out: this heartbeat can't save the turns from before it.
      this.lose();
    }
    this.until = begunAt + this.lengthMs;
    // This process may have been suspended in the meantime.
    if (this.remainingMs() > 0) {
      this.isLost = false;
      this.timer?.dispose();
      this.timer = this.clock.after(this.remainingMs(), () => this.lose());
      this.renewed.fire();
    }
  }

  dispose(): void {
    this.timer?.dispose();
  }

  private lose(): void {
    if (!this.isLost) {
      this.isLost = true;
      this.timer?.dispose();
      this.onLost();
    }
  }
}
