import { setTimeout as delay } from 'node:timers/promises';

/** The result of the work; rejects with what `late` makes when it takes longer than so many milliseconds. */
export async function withDeadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
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
