import { type TrackedJob, pendingCreate, pendingSends, waitsForKey } from './trackedJob';
import { isHeld } from './waiting';

export const JOB_STATUSES = [
  'sending',
  'waiting',
  'rejected',
  'unconfirmed',
  'active',
  'completed',
  'failed',
  'archived',
  'unknown',
] as const;

/** A job's state as other extensions and the tree see it (contract: "The extension's exports"). */
export type JobStatus = (typeof JOB_STATUSES)[number];

export function jobStatus(job: TrackedJob): JobStatus {
  const create = pendingCreate(job);
  if (create !== undefined) {
    switch (create.state) {
      case 'queued':
      case 'sending':
        return 'sending';
      case 'rejected':
      case 'unconfirmed':
        return create.state;
      default:
        return waitsForKey(create) ? 'rejected' : 'waiting';
    }
  }
  const status = job.snapshot?.status;
  if (job.awaitsActive) {
    return 'active';
  }
  return status === 'active' || status === 'completed' || status === 'failed' || status === 'archived'
    ? status
    : 'unknown';
}

/** True when the user stopped the last run, which is no failure to look after. */
export function isStopped(job: TrackedJob): boolean {
  return jobStatus(job) === 'failed' && job.snapshot?.stopped === true;
}

/** The state of the follow-up that most needs a look, if one is on its way or stuck; one that is `held` waits for the user. */
export function pendingState(job: TrackedJob): 'sending' | 'waiting' | 'held' | 'rejected' | 'unconfirmed' | undefined {
  const sends = pendingSends(job);
  const states = sends.map((send) => send.state);
  if (states.includes('unconfirmed')) {
    return 'unconfirmed';
  }
  if (states.includes('rejected') || sends.some(waitsForKey)) {
    return 'rejected';
  }
  if (sends.some(isHeld)) {
    return 'held';
  }
  if (states.includes('waiting')) {
    return 'waiting';
  }
  return states.length > 0 ? 'sending' : undefined;
}
