import { isTerminal } from '../protocol/status';
import type { Home, JobEvent, Snapshot } from './events';
import type { TrackedJob } from './trackedJob';

/** The service took a prompt: that begins a run. */
export function accept(job: TrackedJob, event: Extract<JobEvent, { type: 'created' }>): TrackedJob {
  const accepted = job.sends.find((send) => send.id === event.send);
  // Where the file of the prompt is damaged, a job that was known before tells.
  const isFollowUp = accepted === undefined ? job.snapshot !== undefined : accepted.kind === 'followUp';
  if (accepted?.kind === 'create' && job.snapshot !== undefined) {
    const same = job.snapshot.id === event.job.id;
    return same
      ? job
      : { ...job, duplicates: [...job.duplicates, { send: accepted, at: event.at, snapshot: event.job }] };
  }
  if (job.snapshot !== undefined && job.snapshot.id !== event.job.id) {
    // It went to a job that this row was taken for before a late answer, and which has a row of its own now.
    return job;
  }
  // A follow-up may be answered with the end of the run before it; a new job has no such past.
  const awaitsActive = isFollowUp && event.job.status !== 'active';
  return {
    ...job,
    ...observed(event.job, event.at, !isFollowUp && isTerminal(event.job.status), true),
    acceptedAt: event.at,
    run: event.send,
    awaitsActive,
    prLinkBefore: job.snapshot?.prLink ?? null,
    mayRun: undefined,
  };
}

/** A run ends once: that the job is archived later, for example, is neither another end nor something to look at. */
export function change(job: TrackedJob, event: Extract<JobEvent, { type: 'changed' }>): TrackedJob {
  return job.endedAt !== undefined && isTerminal(event.job.status)
    ? { ...job, snapshot: event.job }
    : { ...job, ...observed(event.job, event.at, event.end, true), ...stillAwaits(job, event) };
}

/** Somebody sent the job a follow-up from elsewhere: that begins a run, too. */
export function resume(job: TrackedJob, event: Extract<JobEvent, { type: 'resumed' }>): TrackedJob {
  return {
    ...job,
    ...observed(event.job, event.at, event.end, true),
    // Nobody knows when one began that is found after its end.
    acceptedAt: event.end ? undefined : event.at,
    run: event.run,
    awaitsActive: false,
    prLinkBefore: job.snapshot?.prLink ?? null,
    mayRun: undefined,
  };
}

/** What an answer of the service says of the present run. */
export function observed(snapshot: Snapshot, at: number, end: boolean, unseen: boolean): Partial<TrackedJob> {
  // Who stopped it need not be told.
  return { snapshot, endedAt: end ? at : undefined, unseen: end && unseen && snapshot.stopped !== true };
}

function stillAwaits(job: TrackedJob, event: Extract<JobEvent, { type: 'changed' }>): Partial<TrackedJob> {
  return { awaitsActive: job.awaitsActive && !event.end && isTerminal(event.job.status) };
}

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
