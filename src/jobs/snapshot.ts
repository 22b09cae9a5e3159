import { truncateWithEllipsis } from '../base/text';
import { MAX_FIELD } from '../base/limits';
import type { ChangeCounts } from '../protocol/changes';
import type { CodedFields } from '../protocol/codedText';
import type { WireJob } from '../protocol/job';
import { isTerminal } from '../protocol/status';
import type { JobEvent, Snapshot } from './events';
import type { TrackedJob } from './trackedJob';

/** Returns what we keep of an answer. This is where its texts are bounded: the service decides how long they are. */
export function toSnapshot(job: WireJob): Snapshot {
  const { id, status, archivedAt, prLink, source, model, createdAt, error, note, endedEarly, turn, usage } = job;
  return {
    id,
    status: typeof archivedAt === 'string' ? 'archived' : status,
    prLink: prLink?.trim() === '' ? null : orNone(prLink),
    ref: orNone(source?.ref),
    repository: orNone(source?.repository),
    model: cut(model),
    createdAt: orNone(createdAt),
    error: cut(error),
    ...(note == null ? {} : { note: cut(note) ?? '' }),
    ...(endedEarly === true ? { endedEarly } : {}),
    ...codedOf(job.coded),
    ...(isCount(turn) ? { turn } : {}),
    ...changesOf(job.changes),
    ...(usage === undefined ? {} : { usage }),
    ...(job.stopped === true && status === 'failed' ? { stopped: true } : {}),
    ...(job.review === 'merged' || job.review === 'closed' ? { review: job.review } : {}),
    ...(job.surroundings === undefined ? {} : { surroundings: job.surroundings }),
  };
}

/** Returns nothing unless all counts are possible. */
export function changesOf(value: unknown): { changes?: ChangeCounts } {
  const { files, added, deleted } = (value ?? {}) as Record<string, unknown>;
  const isPossible = (count: unknown): count is number => count === 0 || isCount(count);
  return isPossible(files) && isPossible(added) && isPossible(deleted) ? { changes: { files, added, deleted } } : {};
}

/** Counts of 0 and impossible ones are not worth telling. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** Returns nothing if the value is larger than anything the local service sends. */
function codedOf(coded: CodedFields | undefined): Pick<Snapshot, 'coded'> {
  return coded === undefined || JSON.stringify(coded).length > 2 * MAX_FIELD ? {} : { coded };
}

/** True if both are equal, so that nothing needs to be written. Codes are ignored because they repeat the texts. */
export function sameSnapshot(a: Snapshot, b: Snapshot): boolean {
  const fields = Object.keys({ ...a, ...b }) as (keyof Snapshot)[];
  return fields.every((field) => field === 'coded' || JSON.stringify(a[field]) === JSON.stringify(b[field]));
}

function cut(text: string | null | undefined): string | null {
  return text == null ? null : truncateWithEllipsis(text, MAX_FIELD);
}

/** A truncated link or name would point somewhere else, so it is dropped. */
function orNone(text: string | null | undefined): string | null {
  return text == null || text.length > MAX_FIELD ? null : text;
}

/** How long polls must agree on an old end before it counts as the answer to a follow-up, in milliseconds. */
export const AGREEMENT_MS = 60_000;

/** While a job runs, a change of its details is written at most this often, in milliseconds. A later poll reports it. */
const WRITE_INTERVAL_MS = 5000;

/**
 * Interprets a poll's answer for a running job. Returns the event to write, or undefined if there is nothing new.
 *
 * The specification does not say what status a job has after a follow-up. An end counts once the job was seen active
 * after the message, or its pull request changed, or polls have reported the same end for a minute.
 *
 * @param agreedForMs how long polls have reported an end without interruption, in milliseconds
 */
export function detectChange(job: TrackedJob, answer: Snapshot, at: number, agreedForMs: number): JobEvent | undefined {
  const last = job.snapshot;
  const ended = isTerminal(answer.status);
  const counts = !job.awaitsActive || answer.prLink !== job.prLinkBefore || agreedForMs >= AGREEMENT_MS;
  if (ended && counts) {
    return { type: 'changed', at, run: job.run, job: answer, end: true };
  }
  const isNews =
    (job.awaitsActive && !ended) ||
    last === undefined ||
    // Rare, and part of the state: on hold, or finishing.
    JSON.stringify(last.surroundings) !== JSON.stringify(answer.surroundings);
  // A wall clock that was set back must not block changes forever.
  const isTooSoon = Math.abs(at - job.updatedAt) < WRITE_INTERVAL_MS;
  if (!isNews && (isTooSoon || sameSnapshot(last, answer))) {
    return undefined;
  }
  return { type: 'changed', at, run: job.run, job: answer, end: false };
}

/**
 * Interprets an answer for an ended job: a new run if someone sent a follow-up from elsewhere, another end state such
 * as `archived`, a decision about its work, what others have done around it, or undefined if there is nothing new.
 */
export function detectChangeAfterEnd(job: TrackedJob, answer: Snapshot, at: number): JobEvent | undefined {
  const { snapshot: last, endedAt } = job;
  if (last?.id !== answer.id || endedAt === undefined) {
    return undefined;
  }
  const known = last.turn ?? sentTurns(job);
  // If a service doesn't count messages, another run is visible only while it lasts.
  const isAnother = answer.turn === undefined || known === undefined ? answer.status === 'active' : answer.turn > known;
  if (isAnother) {
    // Derived, so that every window that finds this run gives it the same name.
    const run = answer.turn === undefined ? `after-${endedAt.toString(36)}` : `turn-${answer.turn}`;
    return { type: 'resumed', at, run, job: answer, end: isTerminal(answer.status) };
  }
  return !sameSnapshot(last, answer) && isTerminal(answer.status)
    ? { type: 'changed', at, run: job.run, job: answer, end: true }
    : undefined;
}

/**
 * Returns the number of messages the job had according to our records, or undefined if they don't cover its beginning.
 */
function sentTurns({ prompts }: TrackedJob): number | undefined {
  const accepted = prompts.filter(({ state }) => state === 'created');
  return accepted.some(({ kind }) => kind === 'create') ? accepted.length : undefined;
}
