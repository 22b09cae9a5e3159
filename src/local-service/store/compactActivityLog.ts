import { coded } from '../../protocol/codedText';
import type { ActivityEntry } from '../../protocol/activity';
import { noteEntry } from '../codedText';

/** The size of an activity log: its rows, and the bytes of their entries as they are stored. */
export interface LogSize {
  rows: number;
  bytes: number;
}

/**
 * Maximum size of the log of a job, which is far more than a run of hours writes. Compacting a larger one would block
 * the service.
 */
const MAX_SIZE: LogSize = { rows: 2000, bytes: 2_500_000 };

/** The size after compaction. */
const COMPACTED: LogSize = { rows: 1500, bytes: 2_000_000 };

/** An entry as it is stored on disk. */
export interface StoredEntry {
  id: number;
  turnId: number;
  /** The entry as it is stored. */
  text: string;
}

interface ParsedRow extends StoredEntry {
  entry: ActivityEntry;
}

/** Maximum length of a joined message, in characters. */
const MAX_JOINED = 16_000;

/** The text of a joined message until it has all pieces: writing it with each would take long. */
const NOT_WRITTEN = '';

const DROPPED = noteEntry(coded('olderStepsDropped'));

export function isTooLong({ rows, bytes }: LogSize): boolean {
  return rows > MAX_SIZE.rows || bytes > MAX_SIZE.bytes;
}

export function sizeOf(texts: readonly string[]): LogSize {
  return { rows: texts.length, bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) };
}

/**
 * Shortens an activity log that has grown too long. Returns the remaining rows, in order. First, in the older half,
 * joins the pieces of each message. Then, as far as needed, drops the oldest tool calls and then the oldest other
 * entries, and leaves a note in their place. State changes stay longest.
 */
export function compactActivityLog(stored: readonly StoredEntry[]): StoredEntry[] {
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
      before.entry.text.length + row.entry.text.length <= MAX_JOINED
    ) {
      const entry = { kind: 'message', text: before.entry.text + row.entry.text } as const;
      joined[joined.length - 1] = { ...row, entry, text: NOT_WRITTEN };
    } else {
      joined.push(row);
    }
  }
  return joined.map((row) => (row.text === NOT_WRITTEN ? withEntry(row, row.entry) : row));
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
