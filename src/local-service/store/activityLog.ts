import { Emitter } from '../../base/disposable';
import { coded } from '../../protocol/codedText';
import { type ActivityEntry, activityEntrySchema, type ActivityEvent } from '../../protocol/activity';
import { noteEntry } from '../codedText';
import type { ActivityLogStore } from './jobStore';
import type { Statements } from './statements';

/** Maximum number of events per job, and how many are left after compaction. */
const MAX_EVENTS = 2000;
const AFTER_COMPACTION = 1500;

const ADD = 'INSERT INTO story (job_id, turn_id, at, entry) VALUES (?, ?, ?, ?)';

const READ = `
  SELECT id, at, entry, (SELECT count(*) FROM turns WHERE turns.job_id = story.job_id AND turns.id <= story.turn_id) AS turn
  FROM story WHERE job_id = ? AND id > ? ORDER BY id LIMIT ?`;

/** The activity logs of all jobs, in the database. */
export class SqliteActivityLog implements ActivityLogStore {
  private readonly grown = new Emitter<string>(() => undefined);
  private readonly counts = new Map<string, number>();

  readonly onStory = this.grown.event;

  constructor(
    private readonly statements: Statements,
    private readonly now: () => number,
  ) {}

  addStory(jobId: string, turnId: number, entries: readonly ActivityEntry[]): void {
    if (entries.length === 0) {
      return;
    }
    this.statements.together(() => {
      const count = this.count(jobId) + entries.length;
      for (const entry of entries) {
        this.statements.sql(ADD).run(jobId, turnId, this.now(), JSON.stringify(entry));
      }
      this.counts.set(jobId, count);
      if (count > MAX_EVENTS) {
        this.compact(jobId);
      }
    });
    this.grown.fire(jobId);
  }

  story(jobId: string, after: number, limit: number): ActivityEvent[] {
    const rows = this.statements.sql(READ).all(jobId, after, limit) as unknown as {
      id: number;
      at: number;
      turn: number;
      entry: string;
    }[];
    return rows.map(({ id, at, turn, entry }) => ({
      id,
      turn,
      at: new Date(at).toISOString(),
      entry: activityEntrySchema.parse(JSON.parse(entry)),
    }));
  }

  dropStories(archivedBefore: number): void {
    const rows = this.statements
      .sql('SELECT id FROM jobs WHERE archived_at < ? AND EXISTS (SELECT 1 FROM story WHERE job_id = jobs.id)')
      .all(archivedBefore);
    for (const { id } of rows) {
      this.statements.sql('DELETE FROM story WHERE job_id = ?').run(id ?? null);
      this.counts.delete(id as string);
    }
  }

  private count(jobId: string): number {
    const known = this.counts.get(jobId);
    if (known !== undefined) {
      return known;
    }
    const row = this.statements.sql('SELECT count(*) AS count FROM story WHERE job_id = ?').get(jobId);
    return Number(row?.['count']);
  }

  private compact(jobId: string): void {
    const rows = this.statements
      .sql('SELECT id, turn_id AS turnId, entry FROM story WHERE job_id = ? ORDER BY id')
      .all(jobId) as unknown as { id: number; turnId: number; entry: string }[];
    const before = rows.map(({ id, turnId, entry }): StoryRow => {
      return { id, turnId, entry: activityEntrySchema.parse(JSON.parse(entry)) };
    });
    const after = new Map(compactActivityLog(before, AFTER_COMPACTION).map((row) => [row.id, row]));
    for (const row of before) {
      const kept = after.get(row.id);
      if (kept === undefined) {
        this.statements.sql('DELETE FROM story WHERE id = ?').run(row.id);
      } else if (kept.entry !== row.entry) {
        this.statements.sql('UPDATE story SET entry = ? WHERE id = ?').run(JSON.stringify(kept.entry), row.id);
      }
    }
    this.counts.set(jobId, after.size);
  }
}

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
function compactActivityLog(rows: readonly StoryRow[], most: number): StoryRow[] {
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
