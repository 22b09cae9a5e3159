import { type ActivityEntry, activityEntrySchema, type ActivityEvent } from '../../protocol/activity';
import { compactActivityLog, isTooLong } from '../../local-service/store/compactActivityLog';
import type { Query } from './database';

/** A transaction that holds the lock on the job's row. */
interface LockedJob extends Query {
  jobId: string;
  /** Milliseconds since the epoch; null for the database's clock. */
  now: number | null;
}

const READ = `
  SELECT id, at, entry,
    (SELECT count(*) FROM turns WHERE turns.job_id = activity.job_id AND turns.id <= activity.turn_id) AS turn
  FROM activity WHERE job_id = $1 AND id > $2 ORDER BY id LIMIT $3`;

const ADD = `
  INSERT INTO activity (job_id, turn_id, at, entry)
  SELECT $1, $2, coalesce($3, now_ms()), entry FROM unnest($4::text[]) WITH ORDINALITY AS added (entry, place)
  ORDER BY place`;

const DROP = 'DELETE FROM activity USING jobs WHERE activity.job_id = jobs.id AND jobs.archived_at < $1';

export async function addActivity(
  { query, jobId, now }: LockedJob,
  turnId: number,
  entries: readonly ActivityEntry[],
): Promise<void> {
  await query(ADD, [jobId, turnId, now, entries.map((entry) => JSON.stringify(entry))]);
}

/** Shortens the log if it has grown too long. */
export async function compactActivity({ query, jobId }: LockedJob): Promise<void> {
  const size =
    'SELECT count(*) AS rows, coalesce(sum(octet_length(entry)), 0) AS bytes FROM activity WHERE job_id = $1';
  const [row] = await query(size, [jobId]);
  if (!isTooLong({ rows: Number(row?.['rows']), bytes: Number(row?.['bytes']) })) {
    return;
  }
  const rows = await query('SELECT id, turn_id, entry FROM activity WHERE job_id = $1 ORDER BY id', [jobId]);
  const before = rows.map(({ id, turn_id: turnId, entry }) => {
    return { id: id as number, turnId: turnId as number, text: entry as string };
  });
  const after = new Map(compactActivityLog(before).map(({ id, text }) => [id, text]));
  const changed = before.filter(({ id, text }) => after.has(id) && after.get(id) !== text);
  await query('DELETE FROM activity WHERE id = ANY($1::bigint[])', [
    before.flatMap(({ id }) => (after.has(id) ? [] : [id])),
  ]);
  await query(
    `UPDATE activity SET entry = changed.entry FROM unnest($1::bigint[], $2::text[]) AS changed (id, entry)
     WHERE activity.id = changed.id`,
    [changed.map(({ id }) => id), changed.map(({ id }) => after.get(id))],
  );
}

export async function readActivity(
  { query }: Query,
  jobId: string,
  after: number,
  limit: number,
): Promise<ActivityEvent[]> {
  const rows = await query(READ, [jobId, after, limit]);
  return rows.map(({ id, at, turn, entry }) => ({
    id: id as number,
    turn: turn as number,
    at: new Date(at as number).toISOString(),
    entry: parse(entry),
  }));
}

export async function dropActivity({ query }: Query, archivedBefore: number): Promise<void> {
  await query(DROP, [archivedBefore]);
}

function parse(entry: unknown): ActivityEntry {
  return activityEntrySchema.parse(JSON.parse(entry as string));
}
