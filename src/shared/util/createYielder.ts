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
