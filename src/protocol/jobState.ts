import { hasCode } from './codedText';
import type { WireJob } from './job';
import { isTerminal } from './status';

/** What a service says about the state of a job. */
export type StatedJob = Partial<
  Pick<WireJob, 'status' | 'stopped' | 'endedEarly' | 'prLink' | 'coded' | 'surroundings'>
>;

/** Sentences about the states of a job at a service, for language models. */
export const JOB_WORDS = {
  running: 'The agent is working on it.',
  onHold: 'The agent has reached its usage limit. The run resumes automatically when the limit is reset.',
  queued: 'It waits until a run of another job ends, because the service runs only a few at once.',
  finishing: 'The agent has answered, but its tools are still working.',
  idle: 'The agent has done nothing for two minutes. If it is stuck, send a follow-up, which interrupts the run.',
  ready: 'It finished with a pull request.',
  changesReady: 'It finished with changes to review.',
  pushed: 'It pushed a branch, but could not open a pull request.',
  endedEarly: 'It ended early, before its work was done.',
  finished: 'It finished without a pull request.',
  merged: 'Its work was merged.',
  closed: 'Its work was closed without merging.',
  failed: 'It failed.',
  stopped: 'The user stopped it.',
  archived: 'It was archived.',
  unknown: 'The service returned a status that is unknown here.',
} as const;

type WireState = keyof typeof JOB_WORDS;
export type ActiveState = 'running' | 'onHold' | 'queued' | 'finishing' | 'idle';
export type EndState = Exclude<WireState, ActiveState | 'merged' | 'closed'>;

export function getActiveState({ surroundings }: StatedJob): ActiveState {
  const { resumesAt, queued, finishing, idle } = surroundings ?? {};
  return resumesAt !== undefined ? 'onHold' : queued ? 'queued' : finishing ? 'finishing' : idle ? 'idle' : 'running';
}

/**
 * How a run ended, by what the service reported at that time.
 *
 * @param isReview whether its link leads to the local service's review page
 */
export function getEndState(job: StatedJob, isReview: boolean): EndState {
  const { status, stopped, endedEarly, prLink = null } = job;
  if (!isTerminal(status)) {
    return 'unknown';
  }
  if (status !== 'completed') {
    return status === 'failed' && stopped === true ? 'stopped' : status;
  }
  if (endedEarly === true || prLink === null) {
    return endedEarly === true ? 'endedEarly' : 'finished';
  }
  return lacksPullRequest(job) ? 'pushed' : isReview ? 'changesReady' : 'ready';
}

/** Only the branch was pushed, so the link leads to it. */
export function lacksPullRequest(job: StatedJob | undefined): boolean {
  const note = job?.coded?.note;
  return note !== undefined && hasCode(note, 'pushedWithoutPullRequest');
}
