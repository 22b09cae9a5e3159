import { isTerminal, TERMINAL_STATUSES } from '../protocol/status';
import {
  isInProgress,
  isListed,
  type OutgoingPrompt,
  type TrackedJob,
  pendingCreate,
  pendingSends,
  waitsForKey,
} from './trackedJob';
import { isHeld } from './waiting';

export const JOB_STATUSES = [
  'sending',
  'waiting',
  'rejected',
  'unconfirmed',
  'active',
  ...TERMINAL_STATUSES,
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
  return status === 'active' || isTerminal(status) ? status : 'unknown';
}

/** Why a job takes no follow-up now. */
export type FollowUpObstacle = 'removed' | 'discarded' | 'notAccepted';

/**
 * Returns why the job takes no follow-up, or undefined if it takes one. Every job that the service has takes
 * follow-ups, even an archived one: the service decides whether it still runs them.
 */
export function followUpObstacle(job: TrackedJob): FollowUpObstacle | undefined {
  if (!isListed(job)) {
    return job.untracked ? 'removed' : 'discarded';
  }
  return job.snapshot === undefined ? 'notAccepted' : undefined;
}

/**
 * Returns the prompt of a run that failed or was stopped, to be sent again; undefined if there is none, or while another
 * prompt is about to start a run.
 */
export function promptToRetry(job: TrackedJob): OutgoingPrompt | undefined {
  const isOver = jobStatus(job) === 'failed' && followUpObstacle(job) === undefined;
  const isStarting = pendingSends(job).some((send) => isInProgress(send) && !isHeld(send));
  return isOver && !isStarting ? job.sends.findLast(({ state }) => state === 'created') : undefined;
}

/** True if the user stopped the last run, which is not a failure that needs attention. */
export function isStopped(job: TrackedJob): boolean {
  return jobStatus(job) === 'failed' && job.snapshot?.stopped === true;
}

/**
 * Returns the state of the pending follow-up that most needs attention, if any. One that is `held` waits for the user.
 */
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
