import type { Disposable } from './disposable';
import { MAX_RETRY_AFTER_MS } from './limits';

export interface BackoffRange {
  baseMs: number;
  capMs: number;
}

/**
 * Full jitter: a random share of the doubled and capped step, so that many clients do not retry at the same time
 * (Brooker, "Exponential Backoff and Jitter"). The delay requested by the service is the minimum.
 *
 * @param failures the number of consecutive failures, from 1
 * @param random a number in [0, 1)
 * @returns milliseconds to wait
 */
export function backoffDelay(backoff: BackoffRange, failures: number, random: number, retryAfterMs = 0): number {
  const step = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(failures, 30));
  return Math.max(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS), backoff.baseMs + random * (step - backoff.baseMs));
}

/** The random share of a step in {@link growingDelay}. */
const JITTER = 0.25;

/**
 * Doubles each wait up to the cap with only a little jitter, for requests that must become less frequent and not only
 * be spread out. A longer delay requested by the service takes precedence.
 *
 * @param refusals the number of consecutive refusals, from 1
 * @param random a number in [0, 1)
 * @returns milliseconds to wait
 */
export function growingDelay(backoff: BackoffRange, refusals: number, random: number, retryAfterMs = 0): number {
  const step = Math.min(backoff.capMs / (1 + JITTER), backoff.baseMs * 2 ** Math.min(refusals - 1, 30));
  return Math.max(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS), step * (1 + JITTER * random));
}

/** How long work may run without yielding, in milliseconds. */
const TURN_MS = 8;

/**
 * For long work in the editor's process: await the returned function between steps, and it yields once a turn is over.
 */
export function createYielder(turnMs = TURN_MS): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began >= turnMs) {
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    }
  };
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Time as the domain sees it, so that tests can control it. All values are milliseconds. */
export interface Clock {
  /** Wall time since the epoch; may jump. For display and storage. */
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
      // A timer takes at least a millisecond, which would double the time of long work that yields often.
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

/** Creates a value on first use and returns the same one from then on. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Returns a function that calls `then` whenever its argument changes from false to true. */
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

/** Returns the result of the work; rejects with the error from `late` when it takes longer than `ms` milliseconds. */
export async function withTimeout<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/**
 * Returns the result of the work; rejects with the signal's reason when the work continues for more than `graceMs`
 * milliseconds after the signal was aborted.
 */
export function settleAfterAbort<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => reject(signal.reason as Error), graceMs);
    };
    if (signal.aborted) {
      onAbort();
    } else {
      signal.addEventListener('abort', onAbort, { once: true });
    }
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
}
