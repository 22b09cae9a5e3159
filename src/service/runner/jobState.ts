import { type CodedText, coded } from '../../shared/protocol/codedText';
import type { Turn, TurnState } from '../store/jobStore';

export type JobStatus = 'active' | 'completed' | 'failed';

const UNFINISHED: readonly TurnState[] = ['queued', 'running', 'publishing'];

/** Why a turn failed that the service did not live to see the end of, more than once. */
export const STOPPED_REASON = coded('stoppedByService');

/** Why a turn ended that the user stopped. */
export const USER_REASON = coded('stoppedByUser');

/** What the story tells of a turn that a later run of the service goes on with. */
export const SHUTDOWN_NOTE = coded('goesOnLater');
export const CRASH_NOTE = coded('takenUpAgain');

interface JobStanding {
  status: JobStatus;
  error?: CodedText;
  stopped?: true;
  /** Why it ended before its work was done. */
  endedEarly?: CodedText;
}

/**
 * What a job is, told from its turns, oldest first: active while one of them has not ended; else what the newest came to.
 * A job is nowhere stored as active, so none can stay so by mistake.
 * `stopped` tells a job that the user stopped from one that failed by itself.
 */
export function jobStatus(turns: readonly Turn[]): JobStanding {
  const newest = turns.at(-1);
  if (turns.some((turn) => UNFINISHED.includes(turn.state))) {
    return { status: 'active' };
  }
  if (newest?.state === 'done') {
    return { status: 'completed', ...(newest.reason === null ? {} : { endedEarly: newest.reason }) };
  }
  const error = newest?.reason ?? STOPPED_REASON;
  // A newer message also cancels a turn, but then it isn't the newest one.
  return newest?.state === 'cancelled' ? { status: 'failed', error, stopped: true } : { status: 'failed', error };
}
