import type { Database } from './database';

/** A newer version of the service has changed the database in a way that this version does not understand. */
export class DatabaseTooNew extends Error {
  readonly exitCode = 4;
}

/**
 * The version of the tables. During an upgrade, old and new processes run side by side, so a later version only adds
 * something; what that makes superfluous is removed by a version after it, which then raises `works_with`: the oldest
 * version of the service that works with the tables.
 */
const VERSION = 1;

/**
 * Times are milliseconds since the epoch, and structured values are JSON in a text, as in the local service's database.
 *
 * - `jobs.worker`: the worker that has the job's clone and session.
 * - `turns.attempt`: grows with each claim. Everything that a worker writes includes it; see `ClaimLost`.
 * - `turns.stop_requested`: why the process that runs the turn should stop: `message` or `user`.
 * - `turns_by_end`: for the figures of the last hour.
 * - `activity.id`: within a job, ids grow in the order of commits, because adding a row requires the lock on the job's
 *   row. So a reader that continues after the last id it has seen misses nothing.
 * - `workers.instance`: the process that has the name. Another one with the same name, and so the same folders, replaces
 *   it, and the first one ends its agents.
 * - `workers.seen_at`: the time of its last heartbeat.
 * - `api_keys.hash`: see `keyHash`.
 */
const TABLES = `
  CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  CREATE TABLE projects (id text PRIMARY KEY, name text NOT NULL, folder text NOT NULL, settings text NOT NULL);
  CREATE TABLE jobs (
    id text PRIMARY KEY, project_id text NOT NULL REFERENCES projects (id), branch text NOT NULL, model text NOT NULL,
    repository text NOT NULL, base_commit text, base_branch text, published_commit text, changes text, pushed_commit text,
    pushed_to text, pr_link text, note text, left_out text, agent_session text, session_agent text, session_turn bigint,
    review text, worker text, created_at bigint NOT NULL, archived_at bigint
  );
  CREATE INDEX jobs_by_project ON jobs (project_id, created_at, id);
  CREATE INDEX jobs_by_branch ON jobs (branch);
  CREATE INDEX jobs_archived ON jobs (archived_at) WHERE archived_at IS NOT NULL;
  CREATE TABLE turns (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job_id text NOT NULL REFERENCES jobs (id),
    project_id text NOT NULL, operation text NOT NULL, prompt text NOT NULL, state text NOT NULL
      CHECK (state IN ('queued', 'running', 'publishing', 'done', 'failed', 'cancelled')),
    reason text, created_at bigint NOT NULL, attempt integer NOT NULL DEFAULT 0, free_attempts integer NOT NULL DEFAULT 0,
    stop_requested text, agent_pid bigint, agent_start_time text, started_at bigint, ended_at bigint, summary text,
    usage text, commit_id text
  );
  CREATE INDEX turns_by_job ON turns (job_id, id);
  CREATE INDEX turns_by_time ON turns (project_id, operation, created_at);
  CREATE INDEX turns_by_end ON turns (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX turns_unfinished ON turns (id) WHERE state IN ('queued', 'running', 'publishing');
  CREATE TABLE activity (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job_id text NOT NULL REFERENCES jobs (id),
    turn_id bigint NOT NULL REFERENCES turns (id), at bigint NOT NULL, entry text NOT NULL
  );
  CREATE INDEX activity_by_job ON activity (job_id, id);
  CREATE TABLE workers (
    name text PRIMARY KEY, instance text NOT NULL, seen_at bigint NOT NULL, running integer NOT NULL
  );
  CREATE TABLE api_keys (
    id text PRIMARY KEY, hash text NOT NULL UNIQUE, role text NOT NULL CHECK (role IN ('admin', 'read', 'metrics')),
    projects text[] NOT NULL, created_at bigint NOT NULL, expires_at bigint, revoked_at bigint
  );
`;

/** Any number; the same for all processes of the service. */
const LOCK = 1_685_021_555;

/**
 * Creates the tables, once, however many processes start at the same time. Leaves the tables of a newer version alone if
 * this version still works with them; else throws DatabaseTooNew.
 */
export async function prepareTables(database: Database): Promise<void> {
  await database.transaction(async ({ query }) => {
    await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL, works_with integer NOT NULL)');
    const [row] = await query('SELECT works_with FROM schema_version');
    if (row === undefined) {
      for (const statement of statementsIn(TABLES)) {
        await query(statement);
      }
      await query('INSERT INTO schema_version VALUES ($1, $1)', [VERSION]);
    } else if ((row['works_with'] as number) > VERSION) {
      throw new DatabaseTooNew('A newer version of the service has changed the database. Start that version.');
    }
  });
}

/**
 * Splits SQL into statements, so that each is sent alone, like a statement with values. None contains a semicolon
 * itself.
 */
function statementsIn(sql: string): string[] {
  return sql
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
