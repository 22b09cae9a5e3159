import { MAX_ACTIVITY, MAX_MESSAGE } from '../../base/limits';
import type { ActivityEntry, ActivityEvent } from '../../protocol/activity';
import { coded } from '../../protocol/codedText';
import { noteEntry } from '../codedText';
import { parameters, type Query } from './database';

const READ = `
  SELECT id, at, entry,
    (SELECT count(*) FROM turns WHERE turns.job_id = activity.job_id AND turns.id <= activity.turn_id) AS turn
  FROM activity WHERE job_id = $1 AND id > $2 ORDER BY id LIMIT $3`;

const SIZE = 'SELECT count(*) AS rows, coalesce(sum(octet_length(entry)), 0) AS bytes FROM activity WHERE job_id = $1';

/** Adds entries to a job's activity log, and shortens it if it is too long then. The job has to be locked. */
export async function addActivity(
  { query }: Query,
  jobId: string,
  turnId: number,
  entries: readonly ActivityEntry[],
): Promise<void> {
  const rows = entries.map((_, index) => `($1, $2, now_ms(), ${parameters(1, index + 3)})`).join(', ');
  const texts = entries.map((entry) => JSON.stringify(entry));
  const [, [size]] = await Promise.all([
    query(`INSERT INTO activity (job_id, turn_id, at, entry) VALUES ${rows}`, [jobId, turnId, ...texts]),
    query(SIZE, [jobId]),
  ]);
  const isTooLong = Number(size?.['rows']) > MAX_ACTIVITY.rows || Number(size?.['bytes']) > MAX_ACTIVITY.bytes;
  if (!isTooLong) {
    return;
  }
  const select = 'SELECT id, turn_id AS "turnId", entry AS text FROM activity WHERE job_id = $1 ORDER BY id';
  const before = (await query(select, [jobId])) as unknown as { id: number; turnId: number; text: string }[];
  const after = new Map(compactActivityLog(before).map(({ id, text }) => [id, text]));
  const dropped = before.flatMap(({ id }) => (after.has(id) ? [] : [id]));
  await query(`DELETE FROM activity WHERE id IN (${dropped.join(', ')})`);
  for (const { id, text } of before) {
    if (after.has(id) && after.get(id) !== text) {
      await query('UPDATE activity SET entry = $2 WHERE id = $1', [id, after.get(id)]);
    }
  }
}

export async function readActivity(
  { query }: Query,
  jobId: string,
  after: number,
  limit: number,
): Promise<ActivityEvent[]> {
  return (await query(READ, [jobId, after, limit])).map(({ id, at, turn, entry }) => ({
    id: id as number,
    turn: turn as number,
    at: new Date(at as number).toISOString(),
    entry: JSON.parse(entry as string) as ActivityEntry,
  }));
}

export async function dropActivity({ query }: Query, archivedBefore: number): Promise<void> {
  await query('DELETE FROM activity WHERE job_id IN (SELECT id FROM jobs WHERE archived_at < $1)', [archivedBefore]);
}

/** The size of an activity log: its rows, and the bytes of their entries as they are stored. */
interface LogSize {
  rows: number;
  bytes: number;
}

/** The size after compaction. */
const COMPACTED: LogSize = { rows: 0.75 * MAX_ACTIVITY.rows, bytes: 0.8 * MAX_ACTIVITY.bytes };

/** An entry as it is stored on disk. */
interface StoredEntry {
  id: number;
  turnId: number;
  /** The entry as it is stored. */
  text: string;
}

interface ParsedRow extends StoredEntry {
  entry: ActivityEntry;
}

const DROPPED = noteEntry(coded('olderStepsDropped'));

function sizeOf(texts: readonly string[]): LogSize {
  return { rows: texts.length, bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) };
}

/**
 * Shortens an activity log that has grown too long. Returns the remaining rows, in order. First, in the older half,
 * joins the pieces of each message. Then, as far as needed, drops the oldest tool calls and then the oldest other
 * entries, and leaves a note in their place. State changes stay longest.
 */
function compactActivityLog(stored: readonly StoredEntry[]): StoredEntry[] {
  // Validating what was valid when it was written would take longer than all the rest.
  const rows = stored.map((row): ParsedRow => ({ ...row, entry: JSON.parse(row.text) as ActivityEntry }));
  const half = Math.floor(rows.length / 2);
  return dropOldest([...joinMessages(rows.slice(0, half)), ...rows.slice(half)]).map(({ id, turnId, text }) => ({
    id,
    turnId,
    text,
  }));
}

/** The joined message takes the place of its last piece, so that no reader misses a piece that it has not seen. */
function joinMessages(rows: readonly ParsedRow[]): ParsedRow[] {
  const joined: ParsedRow[] = [];
  for (const row of rows) {
    const before = joined.at(-1);
    if (
      row.entry.kind === 'message' &&
      before?.entry.kind === 'message' &&
      before.turnId === row.turnId &&
      before.entry.text.length + row.entry.text.length <= MAX_MESSAGE
    ) {
      const entry = { kind: 'message', text: before.entry.text + row.entry.text } as const;
      joined[joined.length - 1] = withEntry(row, entry);
    } else {
      joined.push(row);
    }
  }
  return joined;
}

function dropOldest(rows: readonly ParsedRow[]): ParsedRow[] {
  const size = sizeOf(rows.map(({ text }) => text));
  const over = { rows: size.rows - COMPACTED.rows, bytes: size.bytes - COMPACTED.bytes };
  if (over.rows <= 0 && over.bytes <= 0) {
    return [...rows];
  }
  // Drop one more than needed: a note replaces the oldest dropped entry.
  over.rows += 1;
  const gone = new Set<number>();
  const drop = (which: (row: ParsedRow) => boolean): void => {
    for (const row of rows) {
      if ((over.rows > 0 || over.bytes > 0) && !gone.has(row.id) && which(row)) {
        gone.add(row.id);
        over.rows -= 1;
        over.bytes -= Buffer.byteLength(row.text);
      }
    }
  };
  drop(({ entry }) => entry.kind === 'tool' || isDropped(entry));
  drop(({ entry }) => entry.kind !== 'state');
  drop(() => true);
  const first = Math.min(...gone);
  return rows
    .filter(({ id }) => id === first || !gone.has(id))
    .map((row) => (row.id === first ? withEntry(row, DROPPED) : row));
}

function withEntry(row: ParsedRow, entry: ActivityEntry): ParsedRow {
  return { ...row, entry, text: JSON.stringify(entry) };
}

function isDropped(entry: ActivityEntry): boolean {
  return entry.kind === 'note' && entry.coded?.code === 'olderStepsDropped';
}
