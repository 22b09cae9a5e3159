export const HOUR_MS = 3_600_000;

/**
 * How long a project has to wait until its next request of a kind, in milliseconds; 0 if it need not. The limit is a
 * number of requests per rolling hour. Stored turns are counted, so a restart does not reset it.
 *
 * @param oldestThatCounts when the n-th newest request was accepted, where n is the limit; undefined when there are
 * fewer. Only requests up to `now` count: later ones were recorded while the clock was ahead, and would count until then
 * @param now milliseconds since the epoch
 */
export function limitWaitMs(oldestThatCounts: number | undefined, now: number): number {
  return oldestThatCounts === undefined ? 0 : Math.max(0, oldestThatCounts + HOUR_MS - now);
}
