import { setTimeout as delay } from 'node:timers/promises';

/** Returns the result of the work; rejects with the error from `late` when it takes longer than `ms` milliseconds. */
export async function withTimeout<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const done = new AbortController();
  const over = delay(ms, undefined, { signal: done.signal }).then(() => {
    throw late();
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    work.catch(() => undefined);
    over.catch(() => undefined);
    done.abort();
  }
}

/**
 * Returns the result of the work; rejects with the signal's reason when the work goes on for more than `graceMs`
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
