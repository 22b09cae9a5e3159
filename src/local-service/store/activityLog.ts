import { Emitter } from '../../base/disposable';
import { type ActivityEntry, activityEntrySchema, type ActivityEvent } from '../../protocol/activity';
import { AFTER_COMPACTION, compactActivityLog, MAX_EVENTS, type StoryRow } from './compactActivityLog';
import type { ActivityLogStore, Claim } from './jobStore';
import { CLAIMED } from './rows';
import type { Statements } from './statements';

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

  async addStory(claim: Claim, entries: readonly ActivityEntry[]): Promise<void> {
    this.statements.claimed(claim, CLAIMED, () => this.add(claim.jobId, claim.id, entries));
  }

  /** Adds entries in the present transaction, or in one of their own. */
  add(jobId: string, turnId: number, entries: readonly ActivityEntry[]): void {
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

  async story(jobId: string, after: number, limit: number): Promise<ActivityEvent[]> {
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

  async dropStories(archivedBefore: number): Promise<void> {
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
