import type { Disposable } from './disposable';

/** Time as the domain sees it, so that tests own it. All values are milliseconds. */
export interface Clock {
  /** Wall time since the epoch; may jump. For what is shown and stored. */
  now(): number;
  /** Time that never jumps; for durations. */
  monotonic(): number;
  /** Calls back once after `ms`; disposing cancels. */
  after(ms: number, callback: () => void): Disposable;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    if (ms <= 0) {
      // A timer takes a millisecond at least: a long piece of work that lets others have their turn would take twice as long.
      const next = setImmediate(callback);
      return { dispose: () => clearImmediate(next) };
    }
    const timer = setTimeout(callback, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};

/** Resolves after `ms` on this clock; rejects with the signal's reason as soon as it aborts. */
export function delay(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => {
      timer.dispose();
      reject(signal?.reason as Error);
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
