import { heldSends, runWait } from '../../../src/jobs/afterRun';
import { type OutgoingPrompt, type TrackedJob, pendingSends } from '../../../src/jobs/trackedJob';

/** True while a follow-up of some job waits for the end of a run. */
export function awaitsRun(jobs: readonly TrackedJob[]): boolean {
  return jobs.some((job) => !job.untracked && job.sends.some((send) => runWait(job, send) === 'run'));
}

/** True for a follow-up that waits for the user, or behind one that does. */
export function awaitsUser(job: TrackedJob, send: OutgoingPrompt): boolean {
  const held = heldSends(job);
  const stuck = pendingSends(job).some(({ state }) => state === 'rejected' || state === 'unconfirmed');
  const isBehind = runWait(job, send) === 'before' && (stuck || held.length > 0);
  return send.afterRun === true && (held.includes(send) || isBehind);
}
