import { type Clock } from '../base/async';
import { type Disposable, Emitter } from '../base/disposable';
import type { AgentLease } from '../local-service/agents/agentDriver';

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

  /** @param at when the heartbeat that has succeeded was begun, on the monotonic clock */
  renew(at: number): void {
    if (this.remainingMs() === 0) {
      // The lease had already run out: this heartbeat can't save the turns from before it.
      this.lose();
    }
    this.until = at + this.lengthMs;
    if (this.remainingMs() === 0) {
      return;
    }
    this.isLost = false;
    this.timer?.dispose();
    this.timer = this.clock.after(this.remainingMs(), () => this.lose());
    this.renewed.fire();
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
