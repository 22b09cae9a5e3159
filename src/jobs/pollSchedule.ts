import type { Clock } from '../shared/util/clock';
import type { TrackedJob } from './trackedJob';

/** Where polls are placed by what is known of a project's runs. */
export interface PollPlan {
  /** Seconds until the next poll of a job of this age, in seconds. */
  gapAt(age: number): number;
}

/** The shortest and the longest time between two polls of one job, in milliseconds. */
export const MIN_POLL_MS = 2000;
export const MAX_POLL_MS = 60_000;

/** How often a job is polled whose service says by itself when it changes, in milliseconds. */
export const FALLBACK_POLL_MS = 30_000;

/** From this age on, in milliseconds, a job is polled no oftener than sixty times an hour. */
export const OLD_MS = 45 * 60_000;

/** A share by which each delay is drawn out at random, so that jobs that began together do not poll together. */
const JITTER = 0.1;

/**
 * Milliseconds until the next poll: as the project's past runs suggest, or by the rule for all when there are too few.
 *
 * @param elapsedMs since the service accepted the last prompt
 * @param random a number in [0, 1)
 */
export function nextPollDelay(elapsedMs: number, random: number, plan?: PollPlan): number {
  const elapsed = Math.max(0, elapsedMs);
  if (elapsed >= OLD_MS) {
    return MAX_POLL_MS * (1 + JITTER * random);
  }
  const age = elapsed / 1000;
  const gap = (plan === undefined ? usualGap(age) : plan.gapAt(age)) * 1000;
  return Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, gap * (1 + JITTER * (2 * random - 1))));
}

/**
 * Seconds between two polls of a job of this age, in seconds. It is meant to notice few ends late, more than a tenth of
 * the run, for about 30 requests a job: a tenth of the age is soon enough, less a little for the jitter; hardly any run
 * ends so early that six seconds are too long; and nobody waits longer for a long job than the square root allows.
 */
export function usualGap(age: number): number {
  const early = Math.min(2 + age, 6.5);
  return Math.max(early, Math.min(0.09 * age, 1.2 * Math.sqrt(age)));
}

/** Monotonic time, in milliseconds, at which the present run began. */
export function startOf(job: TrackedJob, clock: Clock): number {
  const created = job.snapshot?.createdAt == null ? job.createdAt : Date.parse(job.snapshot.createdAt);
  const age = clock.now() - (job.acceptedAt ?? created);
  // A start in the future is a clock that was set back: take the job for an old one, which is polled slowly.
  return clock.monotonic() - (age >= 0 ? age : 3_600_000);
}
