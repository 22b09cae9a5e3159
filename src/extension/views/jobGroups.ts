import { jobStatus, pendingState } from '../../jobs/jobStatus';
import type { TrackedJob } from '../../jobs/trackedJob';

/** The groups of the tree, in the order in which they stand. */
export const JOB_GROUPS = ['attention', 'running', 'ready', 'finished', 'failed'] as const;

export type JobGroup = (typeof JOB_GROUPS)[number];

/** Each job stands in one group: what waits for the user first, then what goes on by itself, then what is over. */
export function groupOf(job: TrackedJob): JobGroup {
  const pending = pendingState(job);
  if (pending === 'rejected' || pending === 'unconfirmed' || pending === 'held') {
    return 'attention';
  }
  if (pending === 'waiting') {
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
      return 'failed';
    case 'completed':
    case 'archived':
      return job.snapshot?.prLink == null ? 'finished' : 'ready';
  }
}
