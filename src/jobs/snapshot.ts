import { truncateWithEllipsis } from '../base/text';
import { MAX_FIELD } from '../base/limits';
import type { ChangeCounts } from '../protocol/changes';
import type { CodedFields } from '../protocol/codedText';
import type { WireJob } from '../protocol/job';
import { parseUsage } from '../protocol/usage';
import type { Snapshot } from './events';

/** Returns what we keep of an answer. Texts are bounded, because the service decides how long they are. */
export function toSnapshot(job: WireJob): Snapshot {
  const isArchived = typeof job.archivedAt === 'string';
  const usage = parseUsage(job['usage']);
  return boundSnapshot({
    id: job.id,
    status: isArchived ? 'archived' : job.status,
    prLink: job.prLink ?? null,
    ref: job.source?.ref ?? null,
    repository: job.source?.repository ?? null,
    model: job.model ?? null,
    createdAt: job.createdAt ?? null,
    error: typeof job['error'] === 'string' ? job['error'] : null,
    ...(typeof job['note'] === 'string' ? { note: job['note'] } : {}),
    ...(job['endedEarly'] === true ? { endedEarly: true } : {}),
    ...codedOf(job.coded),
    ...(isCount(job['turn']) ? { turn: job['turn'] } : {}),
    ...changesOf(job['changes']),
    ...(usage === undefined ? {} : { usage }),
    ...(job['stopped'] === true && job.status === 'failed' ? { stopped: true } : {}),
    ...(job.review === 'merged' || job.review === 'closed' ? { review: job.review } : {}),
  });
}

/** The maximum plausible number of files or lines. */
const MAX_COUNT = 1_000_000_000;

/** Returns nothing unless all counts are possible. */
export function changesOf(value: unknown): { changes?: ChangeCounts } {
  const { files, added, deleted } = (value ?? {}) as Record<string, unknown>;
  const isPossible = (count: unknown): count is number => count === 0 || (isCount(count) && count <= MAX_COUNT);
  return isPossible(files) && isPossible(added) && isPossible(deleted) ? { changes: { files, added, deleted } } : {};
}

/** Counts of 0 and impossible ones are not worth telling. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/**
 * Returns nothing if the value is larger than anything the local service sends: other services decide how long it is.
 */
function codedOf(coded: CodedFields | undefined): Pick<Snapshot, 'coded'> {
  return coded === undefined || JSON.stringify(coded).length > 2 * MAX_FIELD ? {} : { coded };
}

/** True if both are equal, so that nothing needs to be written. Codes are ignored because they repeat the texts. */
export function sameSnapshot(a: Snapshot, b: Snapshot): boolean {
  const fields = Object.keys({ ...a, ...b }) as (keyof Snapshot)[];
  return fields.every((field) => field === 'coded' || JSON.stringify(a[field]) === JSON.stringify(b[field]));
}

function boundSnapshot(snapshot: Snapshot): Snapshot {
  const { id, status, prLink, ref, repository, model, createdAt, error, note } = snapshot;
  return {
    ...snapshot,
    id: cut(id),
    status: cut(status),
    prLink: prLink?.trim() === '' ? null : orNone(prLink),
    ref: orNone(ref),
    repository: orNone(repository),
    model: cut(model),
    createdAt: orNone(createdAt),
    error: cut(error),
    ...(note === undefined ? {} : { note: cut(note) }),
  };
}

function cut<T extends string | null>(text: T): T | string {
  return text === null ? text : truncateWithEllipsis(text, MAX_FIELD);
}

/** A truncated link or name would point somewhere else, so it is dropped. */
function orNone(text: string | null): string | null {
  return text !== null && text.length > MAX_FIELD ? null : text;
}
