/** The tables as the first version made them. */
const FIRST = `
  CREATE TABLE projects (id TEXT PRIMARY KEY, name TEXT NOT NULL, folder TEXT NOT NULL, agent_command TEXT NOT NULL) STRICT;
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id), model TEXT NOT NULL, repository TEXT NOT NULL,
    base_commit TEXT, base_branch TEXT, capability TEXT NOT NULL, published_commit TEXT, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE turns (
    id INTEGER PRIMARY KEY, job_id TEXT NOT NULL REFERENCES jobs (id), project_id TEXT NOT NULL, operation TEXT NOT NULL,
    prompt TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX turns_by_job ON turns (job_id);
  CREATE INDEX turns_by_time ON turns (project_id, operation, created_at);
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
`;

/**
 * Settings in the place of one command, what a restart needs to take a turn up again, and the story. A story's ids are
 * never given twice (AUTOINCREMENT), because a reader goes on after the last one that it has seen.
 */
const SETTINGS_RECOVERY_STORY = `
  ALTER TABLE projects ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
  UPDATE projects SET settings = json_object('agent', 'custom', 'command', json(agent_command), 'protocol', 'stdin')
    WHERE json_array_length(agent_command) > 0;
  ALTER TABLE projects DROP COLUMN agent_command;
  ALTER TABLE jobs ADD COLUMN pushed_commit TEXT;
  ALTER TABLE jobs ADD COLUMN pr_link TEXT;
  ALTER TABLE jobs ADD COLUMN note TEXT;
  ALTER TABLE jobs ADD COLUMN agent_session TEXT;
  ALTER TABLE jobs ADD COLUMN session_agent TEXT;
  ALTER TABLE jobs ADD COLUMN session_turn INTEGER;
  ALTER TABLE jobs ADD COLUMN review TEXT;
  ALTER TABLE jobs ADD COLUMN archived_at INTEGER;
  CREATE INDEX jobs_by_project ON jobs (project_id, created_at, id);
  ALTER TABLE turns ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE turns ADD COLUMN agent_pid INTEGER;
  ALTER TABLE turns ADD COLUMN agent_start_time TEXT;
  ALTER TABLE turns ADD COLUMN started_at INTEGER;
  ALTER TABLE turns ADD COLUMN ended_at INTEGER;
  ALTER TABLE turns ADD COLUMN summary TEXT;
  CREATE INDEX turns_unfinished ON turns (id) WHERE state IN ('queued', 'running', 'publishing');
  CREATE TABLE story (
    id INTEGER PRIMARY KEY AUTOINCREMENT, job_id TEXT NOT NULL REFERENCES jobs (id),
    turn_id INTEGER NOT NULL REFERENCES turns (id), at INTEGER NOT NULL, entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX story_by_job ON story (job_id, id);
`;

/** What makes a file of version n, counted from 0 for an empty one, a file of version n + 1. Never changed once shipped. */
export const MIGRATIONS: readonly string[] = [FIRST, SETTINGS_RECOVERY_STORY];
