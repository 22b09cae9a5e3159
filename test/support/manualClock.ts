import type { Clock } from '../../src/base/async';
import type { Disposable } from '../../src/base/disposable';

interface Timer {
  due: number;
  callback: () => void;
}

/** A clock whose time advances only when a test says so. */
export class ManualClock implements Clock {
  private readonly timers = new Set<Timer>();
  private readonly watchers = new Set<() => void>();
  private elapsed = 0;

  /** @param wall wall time at the start, in milliseconds since the epoch */
  constructor(private wall = Date.UTC(2026, 0, 1)) {}

  /** The number of pending callbacks. */
  get pending(): number {
    return this.timers.size;
  }

  /** Milliseconds until the next callback; undefined if none is pending. */
  get untilNext(): number | undefined {
    const next = this.next(Infinity);
    return next === undefined ? undefined : next.due - this.elapsed;
  }

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return this.elapsed;
  }

  after(ms: number, callback: () => void): Disposable {
    const timer: Timer = { due: this.elapsed + Math.max(0, ms), callback };
    this.timers.add(timer);
    this.watchers.forEach((look) => look());
    return { dispose: () => this.timers.delete(timer) };
  }

  /**
   * Advances the time by `ms`. Runs callbacks that fall due, earliest first and each at its own time, including those
   * added on the way. Promises settle before the first, between any two, and after the last.
   */
  async advance(ms: number): Promise<void> {
    const end = this.elapsed + ms;
    await settle();
    for (let timer = this.next(end); timer !== undefined; timer = this.next(end)) {
      this.moveTo(Math.max(timer.due, this.elapsed));
      this.timers.delete(timer);
      timer.callback();
      await settle();
    }
    this.moveTo(end);
  }

  /** Advances the time without running anything, as during sleep. Overdue callbacks run with the next step. */
  sleep(ms: number): void {
    this.moveTo(this.elapsed + ms);
  }

  /** Moves the wall clock forward or, with a negative value, back; no callback falls due because of it. */
  jump(ms: number): void {
    this.wall += ms;
  }

  /** Resolves as soon as this many callbacks are pending: for code that is still busy with a real socket or file. */
  async untilPending(count = 1): Promise<void> {
    if (this.timers.size >= count) {
      return;
    }
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (this.timers.size >= count) {
          this.watchers.delete(look);
          resolve();
        }
      };
      this.watchers.add(look);
    });
  }

  /** The earliest callback due by `end`; of several at the same time, the one that was added first. */
  private next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.timers) {
      if (timer.due <= end && (next === undefined || timer.due < next.due)) {
        next = timer;
      }
    }
    return next;
  }

  private moveTo(elapsed: number): void {
    this.wall += elapsed - this.elapsed;
    this.elapsed = elapsed;
  }
}

/** Resolves when all promises have settled that need no timer, socket or file. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
