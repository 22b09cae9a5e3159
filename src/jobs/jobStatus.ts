import { isTerminal, type TerminalStatus } from '../protocol/status';
import {
  isInProgress,
  isListed,
  type OutgoingPrompt,
  type TrackedJob,
  pendingCreate,
  pendingPrompts,
  waitsForKey,
} from './trackedJob';
import { isHeld } from './waiting';

/** The status of a job: that of its first prompt until the service has accepted it, then that which the service reports. */
export type JobStatus = 'sending' | 'waiting' | 'rejected' | 'unconfirmed' | 'active' | TerminalStatus | 'unknown';

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
  const isStarting = pendingPrompts(job).some((prompt) => isInProgress(prompt) && !isHeld(prompt));
  return isOver && !isStarting ? job.prompts.findLast(({ state }) => state === 'created') : undefined;
}

/**
 * Returns the state of the pending follow-up that most needs attention, if any. One that is `held` waits for the user.
 */
export function pendingState(job: TrackedJob): 'sending' | 'waiting' | 'held' | 'rejected' | 'unconfirmed' | undefined {
  const prompts = pendingPrompts(job);
  const states = prompts.map((prompt) => prompt.state);
  if (states.includes('unconfirmed')) {
    return 'unconfirmed';
  }
  if (states.includes('rejected') || prompts.some(waitsForKey)) {
    return 'rejected';
  }
  if (prompts.some(isHeld)) {
    return 'held';
  }
  if (states.includes('waiting')) {
    return 'waiting';
  }
  return states.length > 0 ? 'sending' : undefined;
}
