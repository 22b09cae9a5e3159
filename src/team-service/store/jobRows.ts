import type { JobWithTurns } from '../../local-service/store/jobStore';
import { JOB_COLUMNS, OUTLINE_COLUMNS, toJob, toTurn } from '../../local-service/store/rows';
import type { Query, Row } from './database';

/**
 * Selects jobs with their turns, as they are at one moment. Leaves out texts, which may add up to hundreds of
 * megabytes.
 */
export const SELECT_WITH_TURNS = `
  SELECT ${JOB_COLUMNS}, (
    SELECT coalesce(json_agg(turn ORDER BY turn.id), '[]')
    FROM (SELECT ${OUTLINE_COLUMNS} FROM turns WHERE turns.job_id = jobs.id) AS turn
  ) AS turns FROM jobs`;

export async function jobWithTurns({ query }: Query, id: string): Promise<JobWithTurns | undefined> {
  const [row] = await query(`${SELECT_WITH_TURNS} WHERE id = $1`, [id]);
  return row && toJobWithTurns(row);
}

export function toJobWithTurns({ turns, ...row }: Row): JobWithTurns | undefined {
  const job = toJob(row);
  return job && { ...job, turns: (turns as Row[]).map(toTurn) };
}
