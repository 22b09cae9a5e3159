import { coded } from '../../protocol/codedText';
import type { ActivityEntry } from '../../protocol/activity';
import { noteEntry } from '../codedText';

/** Maximum number of events per job, and how many are left after compaction. */
export const MAX_EVENTS = 2000;
export const AFTER_COMPACTION = 1500;

/** An entry as it is stored on disk. */
export interface StoryRow {
  id: number;
  turnId: number;
  entry: ActivityEntry;
}

/** Maximum length of a joined message, in characters. */
const MAX_JOINED = 16_000;

const DROPPED = noteEntry(coded('olderStepsDropped'));

/**
 * Shortens an activity log that has grown too long to at most `most` rows. First, in the older half, joins the pieces
 * of each message and removes plans and tool calls that a later entry replaced. Then, as far as needed, drops the
 * oldest tool calls and then the oldest other entries, and leaves a note in their place. State changes are kept
 * longest.
 */
export function compactActivityLog(rows: readonly StoryRow[], most: number): StoryRow[] {
  const half = Math.floor(rows.length / 2);
  const older = joinMessages(withoutReplaced(rows, half));
  const newer = rows.slice(half);
  return dropOldest([...older, ...newer], most);
}

function withoutReplaced(rows: readonly StoryRow[], end: number): StoryRow[] {
  const replaced = new Set<number>();
  const last = new Map<string, number>();
  for (const { id, turnId, entry } of rows) {
    const name = entry.kind === 'tool' ? `${turnId} ${entry.call}` : entry.kind === 'plan' ? `${turnId}` : undefined;
    if (name !== undefined) {
      const before = last.get(name);
      if (before !== undefined) {
        replaced.add(before);
      }
      last.set(name, id);
    }
  }
  return rows.slice(0, end).filter(({ id }) => !replaced.has(id));
}

/** The joined message takes the place of its last piece, so that no reader misses a piece that it has not seen. */
function joinMessages(rows: readonly StoryRow[]): StoryRow[] {
  const joined: StoryRow[] = [];
  for (const row of rows) {
    const before = joined.at(-1);
    if (
      row.entry.kind === 'message' &&
      before?.entry.kind === 'message' &&
      before.turnId === row.turnId &&
      before.entry.text.length + row.entry.text.length <= MAX_JOINED
    ) {
      joined[joined.length - 1] = { ...row, entry: { kind: 'message', text: before.entry.text + row.entry.text } };
    } else {
      joined.push(row);
    }
  }
  return joined;
}

function dropOldest(rows: readonly StoryRow[], most: number): StoryRow[] {
  let over = rows.length - most;
  if (over <= 0) {
    return [...rows];
  }
  // Drop one more than needed: a note replaces the oldest dropped entry.
  over += 1;
  const gone = new Set<number>();
  const drop = (which: (row: StoryRow) => boolean): void => {
    for (const row of rows) {
      if (gone.size < over && !gone.has(row.id) && which(row)) {
        gone.add(row.id);
      }
    }
  };
  drop(({ entry }) => entry.kind === 'tool' || isDropped(entry));
  drop(({ entry }) => entry.kind !== 'state');
  drop(() => true);
  const first = Math.min(...gone);
  return rows
    .filter(({ id }) => id === first || !gone.has(id))
    .map((row) => (row.id === first ? { ...row, entry: DROPPED } : row));
}

function isDropped(entry: ActivityEntry): boolean {
  return entry.kind === 'note' && entry.coded?.code === 'olderStepsDropped';
}
