import type { RecordedEvent, Snapshot } from './events';
import { type OutgoingPrompt, reduceEvent, reduceEvents, type TrackedJob } from './trackedJob';

/** A run of a job. Times are wall times in milliseconds. */
export interface Run {
  /** The stamp of the event that began it. */
  readonly id: string;
  readonly from: number;
  /** How it came about, if not by a prompt from here: the job was added to the list, or found running again. */
  readonly origin?: 'tracked' | 'resumed' | undefined;
  /** When it ended, or another run replaced it; absent while it lasts. */
  readonly to?: number | undefined;
  /** What the service reported at its end; absent if another run replaced it. */
  readonly end?: Snapshot | undefined;
  /** What the user has decided about its work, and when that was found. */
  readonly review?: { readonly state: 'merged' | 'closed'; readonly at: number } | undefined;
}

/** The prompts and the runs of a job, each in the order in which they began. */
export interface JobHistory {
  readonly prompts: readonly OutgoingPrompt[];
  readonly runs: readonly Run[];
}

/**
 * Builds the history of a job.
 *
 * @param job the job reduced from all its events
 * @param events ordered by stamp
 */
export function jobHistory({ key, prompts }: TrackedJob, events: readonly RecordedEvent[]): JobHistory {
  const runs: Run[] = [];
  let job: TrackedJob | undefined;
  for (const recorded of events) {
    const { stamp, event } = recorded;
    const before: TrackedJob | undefined = job;
    job = before === undefined ? reduceEvents(key, [recorded]) : reduceEvent(before, event);
    const open = runs.at(-1);
    if (job?.snapshot !== undefined && (before?.snapshot === undefined || before.run !== job.run)) {
      if (open !== undefined && open.to === undefined) {
        runs[runs.length - 1] = { ...open, to: event.at };
      }
      const origin = event.type === 'tracked' || event.type === 'resumed' ? event.type : undefined;
      runs.push({ id: stamp, from: event.at, origin });
    }
    const last = runs.at(-1);
    if (job?.endedAt !== undefined && last !== undefined && last.to === undefined) {
      runs[runs.length - 1] = { ...last, to: job.endedAt, end: job.snapshot };
    }
    const [run, state] = [runs.at(-1), job?.endedAt === undefined ? undefined : reviewOf(job.snapshot)];
    if (run !== undefined && run.review?.state !== state) {
      runs[runs.length - 1] = { ...run, review: state && { state, at: event.at } };
    }
  }
  return { prompts, runs };
}

function reviewOf(snapshot: Snapshot | undefined): 'merged' | 'closed' | undefined {
  const { state } = snapshot?.surroundings?.pullRequest ?? {};
  return state === undefined || state === 'open' ? snapshot?.review : state;
}

/** How long the runs of a job that are over took in total, in milliseconds. */
export function getRunTime({ runs }: JobHistory): number {
  return runs.reduce((sum, { from, to = from }) => sum + Math.max(0, to - from), 0);
}
