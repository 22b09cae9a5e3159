import type { Clock } from '../../src/base/async';
import type { Disposable } from '../../src/base/disposable';

interface Timer {
  due: number;
  callback: () => void;
}

/** Time that moves only when a test says so. */
export class ManualClock implements Clock {
  private readonly timers = new Set<Timer>();
  private readonly watchers = new Set<() => void>();
  private elapsed = 0;

  /** @param wall wall time at the start, in milliseconds since the epoch */
  constructor(private wall = Date.UTC(2026, 0, 1)) {}

  /** How many callbacks wait for their time. */
  get pending(): number {
    return this.timers.size;
  }

  /** Milliseconds until the next callback; undefined when none waits. */
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
   * Lets `ms` pass: runs what falls due, the earliest first and at its own time, callbacks that come on the way included.
   * Between two of them, before the first and after the last, promises settle.
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

  /** Lets time pass in which nothing runs: what fell due meanwhile does so with the next step. */
  sleep(ms: number): void {
    this.moveTo(this.elapsed + ms);
  }

  /** Sets the wall clock forward or, with a negative value, back; no callback falls due by that. */
  jump(ms: number): void {
    this.wall += ms;
  }

  /** Resolves as soon as so many callbacks wait: for code that is still busy with a real socket or file. */
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

  /** Of those that fall due by `end` the earliest; of several at one time the one that came first. */
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

/** Resolves when all promises that can settle without a timer, a socket or a file have settled. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
