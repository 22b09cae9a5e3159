import { isTerminal } from '../protocol/status';
import type { JobEvent, RecordedEvent, Snapshot } from './events';
import { sameSnapshot } from './snapshot';
import type { TrackedJob } from './trackedJob';

/** How long polls must agree on an old end before it counts as the answer to a follow-up, in milliseconds. */
export const AGREEMENT_MS = 60_000;

/**
 * Interprets a poll's answer for a running job. Returns the event to write, or undefined if there is nothing new.
 *
 * The specification does not say what status a job has after a follow-up. An end counts once the job was seen active
 * after the message, or its pull request changed, or polls have reported the same end for a minute.
 *
 * @param agreedForMs how long polls have reported an end without interruption, in milliseconds
 * @param events the job's recorded events
 */
export function detectChange(
  job: TrackedJob,
  answer: Snapshot,
  at: number,
  agreedForMs: number,
  events: readonly RecordedEvent[] = [],
): JobEvent | undefined {
  const told = job.snapshot;
  const ended = isTerminal(answer.status);
  const counts = !job.awaitsActive || answer.prLink !== job.prLinkBefore || agreedForMs >= AGREEMENT_MS;
  if (ended && counts) {
    return { type: 'changed', at, run: job.run, job: answer, end: true };
  }
  const seenActive = job.awaitsActive && !ended;
  if (!seenActive && told !== undefined && (sameSnapshot(told, answer) || comesTooSoon(job, answer, at, events))) {
    return undefined;
  }
  return { type: 'changed', at, run: job.run, job: answer, end: false };
}

/** The first pause after a change, in milliseconds. Doubles with each further change in the run. */
const PAUSE_MS = 60_000;

/** How many changes of status or link per run are written without a pause. */
const FREE_CHANGES = 50;

/**
 * True for a change that is not written yet; a later poll reports it again. A service whose answers differ at each
 * poll, in the model or any other field, would otherwise fill disk and memory. With doubled pauses, a run of a month
 * records about fifteen changes.
 */
function comesTooSoon(
  { run, snapshot }: TrackedJob,
  answer: Snapshot,
  at: number,
  events: readonly RecordedEvent[],
): boolean {
  const changes = events.filter(({ event }) => event.type === 'changed' && event.run === run);
  const last = changes.at(-1)?.event.at;
  const isMajor = answer.status !== snapshot?.status || answer.prLink !== snapshot.prLink;
  const paced = changes.length - (isMajor ? FREE_CHANGES : 0);
  // A wall clock that was set back must not block changes forever.
  return last !== undefined && paced > 0 && Math.abs(at - last) < PAUSE_MS * 2 ** Math.min(paced - 1, 30);
}

/**
 * Interprets an answer for an ended job: a new run if someone sent a follow-up from elsewhere, another end state such
 * as `archived`, or undefined if there is nothing new.
 */
export function detectChangeAfterEnd(job: TrackedJob, answer: Snapshot, at: number): JobEvent | undefined {
  const { snapshot: told, endedAt } = job;
  if (told?.id !== answer.id || endedAt === undefined) {
    return undefined;
  }
  const known = told.turn ?? sentTurns(job);
  // If a service doesn't count messages, another run is visible only while it lasts.
  const isAnother = answer.turn === undefined || known === undefined ? answer.status === 'active' : answer.turn > known;
  if (isAnother) {
    // Derived, so that every window that finds this run gives it the same name.
    const run = answer.turn === undefined ? `after-${endedAt.toString(36)}` : `turn-${answer.turn}`;
    return { type: 'resumed', at, run, job: answer, end: isTerminal(answer.status) };
  }
  const isOther = answer.status !== told.status || answer.stopped !== told.stopped;
  return isOther && isTerminal(answer.status)
    ? { type: 'changed', at, run: job.run, job: answer, end: true }
    : undefined;
}

/**
 * Returns the number of messages the job had according to our records, or undefined if they don't cover its beginning.
 */
function sentTurns({ sends }: TrackedJob): number | undefined {
  const accepted = sends.filter(({ state }) => state === 'created');
  return accepted.some(({ kind }) => kind === 'create') ? accepted.length : undefined;
}
