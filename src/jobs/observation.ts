import { isTerminal } from '../shared/protocol/status';
import type { JobEvent, Snapshot } from './events';
import { sameSnapshot } from './snapshot';
import type { TrackedJob } from './trackedJob';

/** How long polls must agree on an old end before it counts as the answer to a follow-up, in milliseconds. */
export const AGREEMENT_MS = 60_000;

/**
 * What a poll's answer means for a running job: the event to write, or undefined when it tells nothing new.
 *
 * The specification does not say what status a follow-up leaves. An end counts once the job was seen active after the
 * message, or its pull request changed, or polls have told the same end for a minute.
 *
 * @param agreedForMs how long polls have told an end without a break, in milliseconds
 */
export function observe(job: TrackedJob, answer: Snapshot, at: number, agreedForMs: number): JobEvent | undefined {
  const told = job.snapshot;
  const ended = isTerminal(answer.status);
  const counts = !job.awaitsActive || answer.prLink !== job.prLinkBefore || agreedForMs >= AGREEMENT_MS;
  if (ended && counts) {
    return { type: 'changed', at, run: job.run, job: answer, end: true };
  }
  const seenActive = job.awaitsActive && !ended;
  if (!seenActive && told !== undefined && sameSnapshot(told, answer)) {
    return undefined;
  }
  return { type: 'changed', at, run: job.run, job: answer, end: false };
}
