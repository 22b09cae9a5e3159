import type { ActivityEntry, ActivityEvent } from '../../protocol/activity';
import { compactActivityLog, isTooLong } from './compactActivityLog';
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
  await query(`INSERT INTO activity (job_id, turn_id, at, entry) VALUES ${rows}`, [jobId, turnId, ...texts]);
  const [size] = await query(SIZE, [jobId]);
  if (!isTooLong({ rows: Number(size?.['rows']), bytes: Number(size?.['bytes']) })) {
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
