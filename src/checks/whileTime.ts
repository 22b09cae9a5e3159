import { createYielder } from '../base/async';

/** How long to work before yielding, so that a signal to stop can arrive, in milliseconds. */
const TURN_MS = 50;

/** Yields the items one after the other while there is time. */
export async function* whileTime<T>(items: Iterable<T>, hasTime: () => boolean): AsyncGenerator<T, void> {
  const yieldToEventLoop = createYielder(TURN_MS);
  for (const item of items) {
    await yieldToEventLoop();
    if (!hasTime()) {
      return;
    }
    yield item;
  }
}

/** Returns the items that fit, out of those that there was time to look at. */
export async function filterWhileTime<T>(
  items: Iterable<T>,
  hasTime: () => boolean,
  fits: (item: T) => boolean,
): Promise<T[]> {
  const found: T[] = [];
  for await (const item of whileTime(items, hasTime)) {
    if (fits(item)) {
      found.push(item);
    }
  }
  return found;
}
