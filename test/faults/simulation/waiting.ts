import { type OutgoingPrompt, type TrackedJob, pendingPrompts } from '../../../src/jobs/trackedJob';
import { isHeld, waitsForRun } from '../../../src/jobs/waiting';

/** True while a follow-up of some job waits for the end of a run. */
export function awaitsRun(jobs: readonly TrackedJob[]): boolean {
  return jobs.some(
    (job) =>
      !job.untracked && job.prompts.some(({ waiting }) => waiting?.for === 'runEnd' && waiting.held === undefined),
  );
}

/** True for a follow-up that waits for the user, or that is queued behind one that does. */
export function awaitsUser(job: TrackedJob, prompt: OutgoingPrompt): boolean {
  const isStuck = (each: OutgoingPrompt): boolean =>
    each.state === 'rejected' || each.state === 'unconfirmed' || isHeld(each);
  const isBehind = prompt.waiting?.for === 'earlierPrompt' && waitsForRun(prompt) && pendingPrompts(job).some(isStuck);
  return isHeld(prompt) || isBehind;
}
