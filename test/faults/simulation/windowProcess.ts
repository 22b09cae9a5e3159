import type { Clock } from '../../../src/base/async';
import type { Disposable } from '../../../src/base/disposable';
import type { ManualClock } from '../../support/manualClock';

/**
 * The life cycle of one window's process. Once killed, it does nothing more, wherever it was. As a ghost it has lost
 * its user interface, and calls to that never return.
 */
export class WindowProcess implements Clock {
  isDead = false;
  /** Monotonic time since which its user interface has been gone. */
  ghostSince: number | undefined;
  private readonly timers = new Set<Disposable>();

  constructor(private readonly clock: ManualClock) {}

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  after(ms: number, callback: () => void): Disposable {
    if (this.isDead) {
      return { dispose: () => undefined };
    }
    const timer = this.clock.after(ms, () => {
      this.timers.delete(timer);
      callback();
    });
    this.timers.add(timer);
    return {
      dispose: () => {
        this.timers.delete(timer);
        timer.dispose();
      },
    };
  }

  get isGhost(): boolean {
    return this.ghostSince !== undefined;
  }

  becomeGhost(): void {
    this.ghostSince ??= this.clock.monotonic();
  }

  kill(): void {
    this.isDead = true;
    this.timers.forEach((timer) => timer.dispose());
    this.timers.clear();
  }

  /** Lets time pass in this process; never resolves once the process was killed. */
  async pass(ms: number): Promise<void> {
    if (ms > 0) {
      await new Promise<void>((resolve) => this.after(ms, resolve));
    }
    if (this.isDead) {
      await never();
    }
  }

  /** A call to the user interface. */
  async callsInterface(): Promise<void> {
    if (this.isGhost) {
      await never();
    }
    await this.pass(0);
  }
}

export function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}
