import type { Query } from '../../local-service/store/database';
import { HEARTBEAT_S } from '../turnQueue';

const HOUR_MS = 3_600_000;

/** The unfinished turns by state, and those that ended in the last hour. Both queries use an index. */
const TURNS = `
  SELECT state, count(*) AS count, 0 AS seconds, count(DISTINCT job_id) AS jobs FROM turns
    WHERE state IN ('queued', 'running', 'publishing') GROUP BY state
  UNION ALL
  SELECT state, count(*), coalesce(sum(ended_at - started_at), 0) / 1000.0, count(DISTINCT job_id) FROM turns
    WHERE ended_at > now_ms() - ${HOUR_MS} GROUP BY state`;

const OLDEST = `SELECT coalesce(now_ms() - min(created_at), 0) / 1000.0 AS seconds FROM turns WHERE state = 'queued'`;

const WORKERS = `SELECT count(*) AS count FROM workers WHERE seen_at > now_ms() - ${HEARTBEAT_S * 1000}`;

interface Sample {
  /** With braces. */
  labels?: string;
  value: number;
}

/**
 * The figures of the whole service, in Prometheus' text format. They come from the database, so each API process
 * returns the same ones: read them from one, and don't add them up.
 */
export async function metrics({ query }: Query): Promise<string> {
  const [turns, [oldest], [workers]] = await Promise.all([query(TURNS), query(OLDEST), query(WORKERS)]);
  const read = (state: string, column: string): number =>
    Number(turns.find((row) => row['state'] === state)?.[column] ?? 0);
  const states = (names: readonly string[], column: string): Sample[] =>
    names.map((state) => ({ labels: `{state="${state}"}`, value: read(state, column) }));
  const ended = ['done', 'failed', 'cancelled'];
  return [
    gauge('queue_depth', 'Prompts that wait for a worker.', [{ value: read('queued', 'count') }]),
    gauge('queue_oldest_seconds', 'How long the oldest of them has waited.', [{ value: Number(oldest?.['seconds']) }]),
    gauge('runs', 'Unfinished runs by state.', states(['queued', 'running', 'publishing'], 'count')),
    gauge('runs_last_hour', 'Runs that ended in the last hour, by state.', states(ended, 'count')),
    gauge('run_seconds_last_hour', 'Sum of their durations in seconds.', states(ended, 'seconds')),
    gauge('workers', 'Workers with a recent heartbeat.', [{ value: Number(workers?.['count']) }]),
  ].join('');
}

function gauge(name: string, help: string, samples: readonly Sample[]): string {
  const full = `docs_agent_${name}`;
  const lines = samples.map(({ labels = '', value }) => `${full}${labels} ${value}\n`);
  return `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${lines.join('')}`;
}
