import type { JobStore, RequestKind } from '../store/jobStore';

export const HOUR_MS = 3_600_000;

/**
 * Limits requests per project, operation and rolling hour. Counts the turns on disk, so that a restart does not reset
 * it.
 */
export class RateLimit {
  constructor(
    private readonly store: Pick<JobStore, 'nthNewest'>,
    readonly perHour: number,
  ) {}

  /**
   * @param now milliseconds since the epoch
   * @returns milliseconds until the next request is allowed; 0 when it is
   */
  waitMs(projectId: string, operation: RequestKind, now: number): number {
    // Future timestamps are ignored: they were recorded while the clock was ahead, and would count until then.
    const oldestThatCounts = this.store.nthNewest(projectId, operation, this.perHour, now);
    return oldestThatCounts === undefined ? 0 : Math.max(0, oldestThatCounts + HOUR_MS - now);
  }
}
