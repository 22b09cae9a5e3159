import type { Disposable } from './disposable';

/** The longest `Retry-After` that is obeyed, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

export interface Backoff {
  baseMs: number;
  capMs: number;
}

/**
 * Full jitter: a random share of the doubled and capped step, so that many clients do not come back together
 * (Brooker, "Exponential Backoff and Jitter"). What the service asks for is the floor.
 *
 * @param failures how many attempts have failed in a row, from 1
 * @param random a number in [0, 1)
 * @returns milliseconds to wait
 */
export function backoffDelay(backoff: Backoff, failures: number, random: number, retryAfterMs = 0): number {
  const step = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(failures, 30));
  return Math.max(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS), backoff.baseMs + random * (step - backoff.baseMs));
}

/** The share of a step that is left to chance in {@link growingDelay}. */
const JITTER = 0.25;

/**
 * Each wait is about twice as long as the one before it, up to the cap, whatever chance says: for requests that must get
 * rarer, and not only spread out. What the service asks for counts where it is longer.
 *
 * @param refusals how many requests were refused in a row, from 1
 * @param random a number in [0, 1)
 * @returns milliseconds to wait
 */
export function growingDelay(backoff: Backoff, refusals: number, random: number, retryAfterMs = 0): number {
  const step = Math.min(backoff.capMs / (1 + JITTER), backoff.baseMs * 2 ** Math.min(refusals - 1, 30));
  return Math.max(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS), step * (1 + JITTER * random));
}

/** How long a piece of work may keep others waiting, in milliseconds. */
const TURN_MS = 8;

/** For long work in the editor's process: to be awaited between its steps, lets others go first when a turn is over. */
export function createYielder(turnMs = TURN_MS): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began >= turnMs) {
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    }
  };
}

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

/** Runs tasks with the same key one after the other, in the order in which they were added. */
export class KeyedQueue {
  private readonly last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.last.get(key) ?? Promise.resolve()).then(work, work);
    this.last.set(key, mine);
    const forget = (): void => {
      if (this.last.get(key) === mine) {
        this.last.delete(key);
      }
    };
    mine.then(forget, forget);
    return mine;
  }
}

/** A value that is made when it is asked for first, and is the same from then on. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Calls `then` whenever what it is told turns from false to true, and not when it is told the same again. */
export function risingEdge(before: boolean, then: () => void): (now: boolean) => void {
  let last = before;
  return (now) => {
    const rises = now && !last;
    last = now;
    if (rises) {
      then();
    }
  };
}
