import type { Clock } from '../base/async';
import type { TrackedJob } from './trackedJob';

/** Shortest and longest delay between two polls of one job, in milliseconds. */
export const MIN_POLL_MS = 2000;
export const MAX_POLL_MS = 60_000;

/** Poll interval for a job whose service announces changes itself, in milliseconds. */
export const FALLBACK_POLL_MS = 30_000;

/** Each delay grows by a random share up to this, so that jobs that started together do not poll together. */
export const JITTER = 0.1;

/**
 * Returns the milliseconds until the next poll. The delay grows with the square root of the job's age.
 *
 * @param elapsedMs since the service accepted the last prompt
 * @param random a number in [0, 1)
 */
export function nextPollDelay(elapsedMs: number, random: number): number {
  const gap = 1200 * Math.sqrt(Math.max(0, elapsedMs) / 1000);
  return Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, gap)) * (1 + JITTER * random);
}

/** Monotonic time, in milliseconds, at which the current run began. */
export function getRunStart(job: TrackedJob, clock: Clock): number {
  const created = job.snapshot?.createdAt == null ? job.createdAt : Date.parse(job.snapshot.createdAt);
  const age = clock.now() - (job.acceptedAt ?? created);
  // A start in the future means that the clock was set back: treat the job as an old one, which is polled slowly.
  return clock.monotonic() - (age >= 0 ? age : 3_600_000);
}
