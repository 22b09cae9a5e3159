import { coded } from '../../shared/protocol/codedText';
import type { StoryEntry } from '../../shared/protocol/story';
import { noteEntry } from '../codedText';

/** An entry at its place on disk. */
export interface StoryRow {
  id: number;
  turnId: number;
  entry: StoryEntry;
}

/** The longest message that pieces are joined to, in characters. */
const MAX_JOINED = 16_000;

const DROPPED = noteEntry(coded('olderStepsDropped'));

/**
 * A story that has grown too long, shortened to at most `most` rows; only its older half loses anything. In this order,
 * and only as far as is needed: pieces of one message are joined and plans and tool calls that a later entry replaced go,
 * then the oldest tool calls and messages go with a note in their place. What began and how it ended stays longest.
 */
export function compactStory(rows: readonly StoryRow[], most: number): StoryRow[] {
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

/** The joined message stands at the place of its last piece, so that no reader misses what it has not seen. */
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
  // One more than is over: a note takes the place of the oldest that goes.
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

function isDropped(entry: StoryEntry): boolean {
  return entry.kind === 'note' && entry.coded?.code === 'olderStepsDropped';
}
