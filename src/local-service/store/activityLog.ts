import { Emitter } from '../../base/disposable';
import { type ActivityEntry, activityEntrySchema, type ActivityEvent } from '../../protocol/activity';
import { compactActivityLog, isTooLong, type LogSize, sizeOf, type StoryRow } from './compactActivityLog';
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
  private readonly sizes = new Map<string, LogSize>();

  readonly onStory = this.grown.event;

  constructor(
    private readonly statements: Statements,
    private readonly now: () => number,
  ) {}

  async addStory(claim: Claim, entries: readonly ActivityEntry[]): Promise<void> {
    this.statements.claimed(claim, CLAIMED, () => this.add(claim.jobId, claim.id, entries));
  }

  /** Adds entries in the current transaction, or else in a new one. */
  add(jobId: string, turnId: number, entries: readonly ActivityEntry[]): void {
    if (entries.length === 0) {
      return;
    }
    this.statements.together(() => {
      const texts = entries.map((entry) => JSON.stringify(entry));
      const [before, added] = [this.size(jobId), sizeOf(texts)];
      for (const text of texts) {
        this.statements.sql(ADD).run(jobId, turnId, this.now(), text);
      }
      const size = { rows: before.rows + added.rows, bytes: before.bytes + added.bytes };
      this.sizes.set(jobId, isTooLong(size) ? this.compact(jobId) : size);
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
      this.sizes.delete(id as string);
    }
  }

  private size(jobId: string): LogSize {
    const known = this.sizes.get(jobId);
    if (known !== undefined) {
      return known;
    }
    const size = 'SELECT count(*) AS count, sum(length(CAST(entry AS BLOB))) AS bytes FROM story WHERE job_id = ?';
    const row = this.statements.sql(size).get(jobId);
    return { rows: Number(row?.['count']), bytes: Number(row?.['bytes'] ?? 0) };
  }

  /** Returns the new size. */
  private compact(jobId: string): LogSize {
    const before = this.statements
      .sql('SELECT id, turn_id AS turnId, entry AS text FROM story WHERE job_id = ? ORDER BY id')
      .all(jobId) as unknown as StoryRow[];
    const after = new Map(compactActivityLog(before).map(({ id, text }) => [id, text]));
    for (const { id, text } of before) {
      const kept = after.get(id);
      if (kept === undefined) {
        this.statements.sql('DELETE FROM story WHERE id = ?').run(id);
      } else if (kept !== text) {
        this.statements.sql('UPDATE story SET entry = ? WHERE id = ?').run(kept, id);
      }
    }
    return sizeOf([...after.values()]);
  }
}
