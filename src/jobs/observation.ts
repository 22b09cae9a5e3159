import { isTerminal } from '../protocol/status';
import type { JobEvent, RecordedEvent, Snapshot } from './events';
import { sameSnapshot } from './snapshot';
import type { TrackedJob } from './trackedJob';

/** How long polls must agree on an old end before it counts as the answer to a follow-up, in milliseconds. */
export const AGREEMENT_MS = 60_000;

/**
 * What a poll's answer means for a running job: the event to write, or undefined when it tells nothing new.
 *
 * The specification does not say what status a follow-up leaves. An end counts once the job was seen active after the
 * message, or its pull request changed, or polls have told the same end for a minute.
 *
 * @param agreedForMs how long polls have told an end without a break, in milliseconds
 * @param events what is written of the job
 */
export function observe(
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

/** The first pause after a change, in milliseconds. Each further one of the run doubles it. */
const PAUSE_MS = 60_000;

/** So many changes of status or link in one run are written at once. */
const FREE_CHANGES = 50;

/**
 * True for a change that is not written yet: a later poll tells it. A service whose answers differ at each poll, in the
 * model or whatever else, would fill disk and memory. With doubled pauses a run of a month has some fifteen changes.
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
  // A wall clock that was set back must not stop the news for good.
  return last !== undefined && paced > 0 && Math.abs(at - last) < PAUSE_MS * 2 ** Math.min(paced - 1, 30);
}

/**
 * What an answer means for a job that has ended: another run where somebody sent it a follow-up from elsewhere, another end
 * state such as `archived`, or nothing new.
 */
export function observeEnded(job: TrackedJob, answer: Snapshot, at: number): JobEvent | undefined {
  const { snapshot: told, endedAt } = job;
  if (told?.id !== answer.id || endedAt === undefined) {
    return undefined;
  }
  const known = told.turn ?? sentTurns(job);
  // A service that doesn't count messages shows another run only while it lasts.
  const isAnother = answer.turn === undefined || known === undefined ? answer.status === 'active' : answer.turn > known;
  if (isAnother) {
    // The same name in every window that finds this run.
    const run = answer.turn === undefined ? `after-${endedAt.toString(36)}` : `turn-${answer.turn}`;
    return { type: 'resumed', at, run, job: answer, end: isTerminal(answer.status) };
  }
  const isOther = answer.status !== told.status || answer.stopped !== told.stopped;
  return isOther && isTerminal(answer.status)
    ? { type: 'changed', at, run: job.run, job: answer, end: true }
    : undefined;
}

/** How many messages the job had, by our own records; undefined for one whose beginning they don't hold. */
function sentTurns({ sends }: TrackedJob): number | undefined {
  const accepted = sends.filter(({ state }) => state === 'created');
  return accepted.some(({ kind }) => kind === 'create') ? accepted.length : undefined;
}
