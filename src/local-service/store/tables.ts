/**
 * The tables that the local service and a team's service have in common. Times are milliseconds since the epoch, and
 * structured values are JSON in a text.
 *
 * - `turns.attempt`: grows with each claim. Everything that a run writes includes it; see `ClaimLost`.
 * - `turns.stop_requested`: why the process that runs the turn should stop: `message` or `user`.
 * - `activity.id`: within a job, ids grow in the order of commits, because adding a row requires the lock of the job. So
 *   a reader that continues after the last id it has seen misses nothing.
 *
 * @param id the type of a column with ids that grow and are never used again
 */
export function tablesWith(id: string): string {
  return `
    CREATE TABLE projects (id text PRIMARY KEY, name text NOT NULL, folder text NOT NULL, settings text NOT NULL);
    CREATE TABLE jobs (
      id text PRIMARY KEY, project_id text NOT NULL REFERENCES projects (id), branch text NOT NULL, model text NOT NULL,
      repository text NOT NULL, base_commit text, base_branch text, published_commit text, changes text,
      pushed_commit text, pushed_to text, pr_link text, note text, left_out text, session text, session_agent text,
      session_turn bigint, review text, created_at bigint NOT NULL, archived_at bigint
    );
    CREATE INDEX jobs_by_project ON jobs (project_id, created_at, id);
    CREATE INDEX jobs_by_branch ON jobs (branch);
    CREATE INDEX jobs_archived ON jobs (archived_at) WHERE archived_at IS NOT NULL;
    CREATE TABLE turns (
      id ${id}, job_id text NOT NULL REFERENCES jobs (id), project_id text NOT NULL, operation text NOT NULL,
      prompt text NOT NULL, state text NOT NULL
        CHECK (state IN ('queued', 'running', 'publishing', 'done', 'failed', 'cancelled')),
      reason text, created_at bigint NOT NULL, attempt integer NOT NULL DEFAULT 0,
      uncounted_attempts integer NOT NULL DEFAULT 0, stop_requested text, agent_pid bigint, agent_start_time text,
      started_at bigint, ended_at bigint, summary text, usage text, "commit" text
    );
    CREATE INDEX turns_by_job ON turns (job_id, id);
    CREATE INDEX turns_by_time ON turns (project_id, operation, created_at);
    CREATE INDEX turns_unfinished ON turns (id) WHERE state IN ('queued', 'running', 'publishing');
    CREATE TABLE activity (
      id ${id}, job_id text NOT NULL REFERENCES jobs (id), turn_id bigint NOT NULL REFERENCES turns (id),
      at bigint NOT NULL, entry text NOT NULL
    );
    CREATE INDEX activity_by_job ON activity (job_id, id);
  `;
}
