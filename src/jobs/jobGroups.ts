import { isStopped, jobStatus, pendingState } from './jobStatus';
import type { TrackedJob } from './trackedJob';

/** The groups of the tree, in the order in which they stand. */
export const JOB_GROUPS = ['attention', 'running', 'ready', 'finished', 'done'] as const;

export type JobGroup = (typeof JOB_GROUPS)[number];

export const GROUPINGS = ['state', 'project', 'day'] as const;
export const SORTINGS = ['sent', 'changed', 'title'] as const;

export type Grouping = (typeof GROUPINGS)[number];
export type Sorting = (typeof SORTINGS)[number];

/** The group of this name; those that failed had a group of their own in earlier versions. */
export function readGroup(name: string): JobGroup | undefined {
  return name === 'failed' ? 'attention' : JOB_GROUPS.find((group) => group === name);
}

/**
 * Each job stands in one group: what waits for the user first, then what goes on by itself, then what is over.
 *
 * @param isDone its work is merged or closed, as far as that is known
 */
export function groupOf(job: TrackedJob, isDone = false): JobGroup {
  if (isStuck(job)) {
    return 'attention';
  }
  if (pendingState(job) === 'waiting') {
    return 'running';
  }
  switch (jobStatus(job)) {
    case 'rejected':
    case 'unconfirmed':
      return 'attention';
    case 'sending':
    case 'waiting':
    case 'active':
    case 'unknown':
      return 'running';
    case 'failed':
      return isStopped(job) ? 'done' : 'attention';
    case 'archived':
      return 'done';
    case 'completed':
      return isDone ? 'done' : job.snapshot?.prLink == null ? 'finished' : 'ready';
  }
}

/** True while a prompt goes no further without the user. */
export function isStuck(job: TrackedJob): boolean {
  const states: readonly (string | undefined)[] = [pendingState(job), jobStatus(job)];
  return states.some((state) => state === 'rejected' || state === 'unconfirmed' || state === 'held');
}
