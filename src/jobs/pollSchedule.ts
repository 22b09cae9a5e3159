import type { Clock } from '../shared/util/clock';
import type { TrackedJob } from './trackedJob';

/** The shortest and the longest time between two polls of one job, in milliseconds. */
export const MIN_POLL_MS = 2000;
export const MAX_POLL_MS = 60_000;

/** A share by which each delay is drawn out at random, so that jobs that began together do not poll together. */
const JITTER = 0.1;

/**
 * Milliseconds until the next poll: 1.2 × the square root of the seconds that the job has run. Of the simple rules this
 * one notices the fewest jobs late for about 30 requests a job: long jobs may be noticed a little later than short ones.
 *
 * @param elapsedMs since the service accepted the last prompt
 * @param random a number in [0, 1)
 */
export function nextPollDelay(elapsedMs: number, random: number): number {
  const delay = 1.2 * Math.sqrt(Math.max(0, elapsedMs) / 1000) * 1000;
  const jittered = delay * (1 + JITTER * (2 * random - 1));
  return Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, jittered));
}

/** Monotonic time, in milliseconds, at which the present run began. */
export function startOf(job: TrackedJob, clock: Clock): number {
  const created = job.snapshot?.createdAt == null ? job.createdAt : Date.parse(job.snapshot.createdAt);
  const age = clock.now() - (job.acceptedAt ?? created);
  // A start in the future is a clock that was set back: take the job for an old one, which is polled slowly.
  return clock.monotonic() - (age >= 0 ? age : 3_600_000);
}
