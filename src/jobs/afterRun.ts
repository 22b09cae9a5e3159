import { type OutgoingPrompt, type TrackedJob, waitsForKey, waitsToGo } from './trackedJob';

/**
 * What keeps back a prompt that is to go after the run: the `run` goes on; a prompt that goes `before` it is not settled;
 * it is `held`, because the run did not end well; or it is `unsure` whether the job runs, because a follow-up may have
 * been received. The last two stay until the user decides, or until a later run of the job ends well.
 */
export type RunWait = 'run' | 'before' | 'held' | 'unsure';

/** Why a prompt that would go by itself does not go now; undefined when the state of its job is no reason to wait. */
export function runWait(job: TrackedJob, send: OutgoingPrompt): RunWait | undefined {
  return waitsToGo(send) ? keptBack(job, send) : undefined;
}

/** The same whatever has become of the prompt itself, for the moment in which it is about to leave. */
export function keptBack(job: TrackedJob, send: OutgoingPrompt): RunWait | undefined {
  if (!send.afterRun) {
    return undefined;
  }
  if (job.endedAt === undefined) {
    return 'run';
  }
  if (job.sends.some((other) => other.id !== send.id && beginsRun(other))) {
    return 'before';
  }
  if (job.snapshot?.status !== 'completed') {
    return 'held';
  }
  if (job.mayRun === true) {
    return 'unsure';
  }
  const index = job.sends.findIndex(({ id }) => id === send.id);
  return job.sends.some((other, at) => at < index && other.afterRun && isOpen(other)) ? 'before' : undefined;
}

/** True for one that goes by itself now, as soon as there is a way and room for it. */
export function goesByItself(job: TrackedJob, send: OutgoingPrompt): boolean {
  return waitsToGo(send) && runWait(job, send) === undefined;
}

/** The prompts that go only when the user says so, or after a later run that ends well. */
export function heldSends(job: TrackedJob): readonly OutgoingPrompt[] {
  return job.sends.filter((send) => ['held', 'unsure'].includes(runWait(job, send) ?? ''));
}

function isOpen({ state }: OutgoingPrompt): boolean {
  return state !== 'created' && state !== 'discarded';
}

/** True while it is on its way to the job, or will be without regard to runs. */
function beginsRun(send: OutgoingPrompt): boolean {
  const waits = send.state === 'notSent' || send.state === 'throttled' || waitsForKey(send);
  const onItsWay = send.state === 'queued' || send.state === 'sending';
  return send.kind === 'followUp' && (onItsWay || (waits && !send.afterRun));
}
