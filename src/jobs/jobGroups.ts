import { isStopped, jobStatus, pendingState } from './jobStatus';
import type { TrackedJob } from './trackedJob';

/** The groups of the tree, in display order. */
export const JOB_GROUPS = ['attention', 'running', 'ready', 'done'] as const;

export type JobGroup = (typeof JOB_GROUPS)[number];

export const GROUPINGS = ['state', 'project', 'day'] as const;
export const SORTINGS = ['sent', 'changed', 'title'] as const;

export type Grouping = (typeof GROUPINGS)[number];
export type Sorting = (typeof SORTINGS)[number];

/**
 * Returns the job's group: what waits for the user comes first, then what is in progress, then what is over.
 *
 * @param isDone whether its work is merged or closed, as far as known
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
      return isDone || job.snapshot?.prLink == null ? 'done' : 'ready';
  }
}

/** True while a prompt can't proceed without the user. */
export function isStuck(job: TrackedJob): boolean {
  const states: readonly (string | undefined)[] = [pendingState(job), jobStatus(job)];
  return states.some((state) => state === 'rejected' || state === 'unconfirmed' || state === 'held');
}
