import { truncateWithEllipsis } from '../base/text';
import { MAX_FIELD } from '../base/limits';
import type { ChangeCounts } from '../protocol/changes';
import type { CodedFields } from '../protocol/codedText';
import type { WireJob } from '../protocol/job';
import type { Snapshot } from './events';

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
