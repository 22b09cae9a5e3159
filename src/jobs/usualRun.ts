import type { Home } from './events';
import type { TrackedJob } from './trackedJob';

/** With fewer ended runs than this nothing is usual. */
const FEWEST_RUNS = 5;

/** The share of a project's runs that a usual one is not longer than. */
const SHARE = 0.95;

/** A run is not called unusual before it took so many times as long as half of the project's runs. */
const FACTOR = 2;

/** Nor before it took so long, in milliseconds: of runs that take seconds one that takes half a minute is no news. */
const MIN_UNUSUAL_MS = 300_000;

/** How long runs of a project take, in milliseconds. */
export interface UsualRun {
  /** Half of the runs took no longer. */
  medianMs: number;
  /** A run that takes longer than this is unusual. */
  unusualMs: number;
}

/** What is usual in this project, by its runs in the list that ended; undefined while there are too few. */
export function usualRun(jobs: readonly TrackedJob[], home: Home): UsualRun | undefined {
  const took = pastRuns(jobs, home).toSorted((a, b) => a - b);
  if (took.length < FEWEST_RUNS) {
    return undefined;
  }
  const medianMs = took[Math.floor((took.length - 1) / 2)] ?? 0;
  const longMs = took[Math.ceil(took.length * SHARE) - 1] ?? 0;
  return { medianMs, unusualMs: Math.max(longMs, FACTOR * medianMs, MIN_UNUSUAL_MS) };
}

/** How long the project's runs in the list took, in milliseconds. */
function pastRuns(jobs: readonly TrackedJob[], home: Home): number[] {
  return jobs
    .filter(({ home: { service, projectId } }) => service === home.service && projectId === home.projectId)
    .flatMap(({ acceptedAt, endedAt }) =>
      acceptedAt === undefined || endedAt === undefined ? [] : { acceptedAt, endedAt },
    )
    .filter(({ acceptedAt, endedAt }) => endedAt >= acceptedAt)
    .map(({ acceptedAt, endedAt }) => endedAt - acceptedAt);
}
