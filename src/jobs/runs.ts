import { isTerminal } from '../protocol/status';
import type { JobEvent, Snapshot } from './events';
import type { TrackedJob } from './trackedJob';

/** The service accepted a prompt, which begins a run. */
export function applyAccepted(job: TrackedJob, event: Extract<JobEvent, { type: 'created' }>): TrackedJob {
  const accepted = job.prompts.find((prompt) => prompt.id === event.promptId);
  // If the prompt's file is damaged, infer the kind from whether the job was known before.
  const isFollowUp = accepted === undefined ? job.snapshot !== undefined : accepted.kind === 'followUp';
  const isSame = job.snapshot?.id === event.job.id;
  if (accepted?.kind === 'create' && job.snapshot !== undefined) {
    // A prompt that was resent before its answer arrived made two jobs. The row stands for the one of the last prompt.
    const last = job.prompts.findLast(({ kind, state }) => kind === 'create' && state === 'created');
    if (isSame || last !== accepted) {
      return job;
    }
  } else if (job.snapshot !== undefined && !isSame) {
    return job;
  }
  // A follow-up may be answered with the end of the previous run. A new job has no previous run.
  const awaitsActive = isFollowUp && event.job.status !== 'active';
  return {
    ...job,
    ...toRunFields(event.job, event.at, !isFollowUp && isTerminal(event.job.status), true),
    acceptedAt: event.at,
    run: event.promptId,
    awaitsActive,
    prLinkBefore: job.snapshot?.prLink ?? null,
    mayRun: undefined,
  };
}

/** A run ends once. If the job is archived later, for example, that is neither another end nor anything unseen. */
export function change(job: TrackedJob, event: Extract<JobEvent, { type: 'changed' }>): TrackedJob {
  return job.endedAt !== undefined && isTerminal(event.job.status)
    ? { ...job, snapshot: event.job }
    : { ...job, ...toRunFields(event.job, event.at, event.end, true), ...stillAwaits(job, event) };
}

/** Someone sent the job a follow-up from elsewhere, which also begins a run. */
export function applyResumed(job: TrackedJob, event: Extract<JobEvent, { type: 'resumed' }>): TrackedJob {
  return {
    ...job,
    ...toRunFields(event.job, event.at, event.end, true),
    // The start of a run that is found only after its end is unknown.
    acceptedAt: event.end ? undefined : event.at,
    run: event.run,
    awaitsActive: false,
    prLinkBefore: job.snapshot?.prLink ?? null,
    mayRun: undefined,
  };
}

/** The fields that an answer of the service sets for the current run. */
export function toRunFields(snapshot: Snapshot, at: number, end: boolean, unseen: boolean): Partial<TrackedJob> {
  // The user who stopped it needs no notification.
  return { snapshot, endedAt: end ? at : undefined, unseen: end && unseen && snapshot.stopped !== true };
}

function stillAwaits(job: TrackedJob, event: Extract<JobEvent, { type: 'changed' }>): Partial<TrackedJob> {
  return { awaitsActive: job.awaitsActive && !event.end && isTerminal(event.job.status) };
}

/** True when the service has accepted a follow-up, so that the job has more than one run. */
export function hasFollowUp({ prompts }: TrackedJob): boolean {
  return prompts.some(({ kind, state }) => kind === 'followUp' && state === 'created');
}
