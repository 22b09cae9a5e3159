import type { Database } from '../../local-service/store/database';
import { type Enqueue, SqlJobStore } from '../../local-service/store/sqlJobStore';
import { tablesWith } from '../../local-service/store/tables';

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
 * What a team's service has beyond the tables that both services have.
 *
 * - `jobs.worker`: the worker that has the job's clone and session.
 * - `turns.is_told`: whether the end of the run was queued for the project's webhook.
 * - `projects.webhook_since`: when the webhook was set; what ended before isn't told.
 * - `turns_by_end`: for the figures of the last hour.
 * - `workers.instance`: the process that has the name. Another one with the same name, and so the same folders, replaces
 *   it, and the first one ends its agents.
 * - `workers.seen_at`: the time of its last heartbeat.
 * - `api_keys.hash`: see `keyHash`.
 */
const TABLES = `
  CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  ${tablesWith('bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY')};
  ALTER TABLE jobs ADD COLUMN worker text;
  ALTER TABLE turns ADD COLUMN is_told boolean NOT NULL DEFAULT false;
  ALTER TABLE projects ADD COLUMN webhook_url text, ADD COLUMN webhook_secret text, ADD COLUMN webhook_since bigint;
  CREATE INDEX turns_by_end ON turns (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE workers (
    name text PRIMARY KEY, instance text NOT NULL, seen_at bigint NOT NULL, running integer NOT NULL
  );
  CREATE TABLE api_keys (
    id text PRIMARY KEY, hash text NOT NULL UNIQUE, role text NOT NULL CHECK (role IN ('admin', 'read', 'metrics')),
    projects text[] NOT NULL, created_at bigint NOT NULL, expires_at bigint, revoked_at bigint
  );
`;

/**
 * Opens the store, and creates the tables once, however many processes start at the same time. Leaves the tables of a
 * newer version alone if this version still works with them; else throws DatabaseTooNew.
 */
export async function openTeamStore(database: Database, enqueue: Enqueue): Promise<SqlJobStore> {
  await database.transaction(async ({ query, lock }) => {
    await lock('tables');
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
  return SqlJobStore.open(database, enqueue);
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
