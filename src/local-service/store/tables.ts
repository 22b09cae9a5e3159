import { projectSettingsSchema } from '../../protocol/localService';
import type { Row } from './database';
import { titleOf } from '../text';
import type { Job, JobWithTurns, Project, Turn } from './jobStore';

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
    CREATE TABLE projects (
      id text PRIMARY KEY, name text NOT NULL, folder text NOT NULL, git_dir text, settings text NOT NULL
    );
    CREATE TABLE jobs (
      id text PRIMARY KEY, project_id text NOT NULL REFERENCES projects (id), branch text NOT NULL, model text NOT NULL,
      repository text NOT NULL, base_commit text, base_branch text, published_commit text, changes text,
      pushed_commit text, pushed_to text, pr_link text, note text, left_out text, session text, session_agent text,
      session_turn bigint, review text, surroundings text, continues text, unsaved text, created_at bigint NOT NULL, archived_at bigint
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
      started_at bigint, ended_at bigint, summary text, usage text, "commit" text,
      resumes_at bigint, phase text
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

const words = (text: string): string[] => text.trim().split(/\s+/);

const PROJECT = words('id name folder gitDir settings');

const JOB = words(`
  id projectId branch model repository baseCommit baseBranch publishedCommit changes pushedCommit pushedTo prLink note
  leftOut session sessionAgent sessionTurn review surroundings continues unsaved createdAt archivedAt`);

/** The fields of a `TurnOutline`. */
const OUTLINE = words(`
  id jobId state reason createdAt attempt uncountedAttempts stopRequested agentPid agentStartTime startedAt endedAt usage commit
  resumesAt phase`);

const TURN = [...OUTLINE, 'prompt', 'summary'];

/** Fields with a structured value. */
const STRUCTURED = new Set(words('settings changes note leftOut reason usage surroundings unsaved'));

/** What the names of a turn's fields begin with in a row that has a job and a turn. */
const OF_TURN = 'turn.';

export const PROJECT_COLUMNS = columns('projects', PROJECT);
export const JOB_COLUMNS = columns('jobs', JOB);
export const TURN_COLUMNS = columns('turns', TURN);
/** With enough of a prompt for a title. */
export const JOB_AND_TURN_COLUMNS = `${JOB_COLUMNS}, ${columns('turns', OUTLINE, OF_TURN)}, substr(turns.prompt, 1, 300) AS "start"`;

/** The columns of these fields, under the names of the fields. */
function columns(table: string, fields: readonly string[], prefix = ''): string {
  return fields.map((field) => `${table}.${columnOf(field)} AS "${prefix}${field}"`).join(', ');
}

/** For example, `created_at` for `createdAt`. */
function columnOf(field: string): string {
  return `"${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
}

/** Settings that a later version added are ignored. */
export function toProject(row: Row): Project {
  const project = fieldsOf(row, PROJECT) as unknown as Project;
  return { ...project, settings: projectSettingsSchema.parse(project.settings) };
}

export function toJob(row: Row): Job {
  return fieldsOf(row, JOB) as unknown as Job;
}

export function toTurn(row: Row): Turn {
  return fieldsOf(row, TURN) as unknown as Turn;
}

/** Gathers rows that have a job and one of its turns each. */
export function toJobsWithTurns(rows: readonly Row[]): JobWithTurns[] {
  const jobs = new Map<string, JobWithTurns>();
  for (const row of rows) {
    const job = jobs.get(row['id'] as string) ?? { ...toJob(row), title: titleOf(String(row['start'])), turns: [] };
    job.turns.push(fieldsOf(row, OUTLINE, OF_TURN) as unknown as Turn);
    jobs.set(job.id, job);
  }
  return [...jobs.values()];
}

function fieldsOf(row: Row, fields: readonly string[], prefix = ''): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const value = row[prefix + field];
      return [field, typeof value === 'string' && STRUCTURED.has(field) ? JSON.parse(value) : value];
    }),
  );
}

export function toColumn(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null);
}

/** The assignments that write those of the fields that the table has, with values from `$2` on; none if it has none. */
export function assignments(table: 'jobs' | 'turns', found: object): { list: string; values: unknown[] } | undefined {
  const fields = table === 'jobs' ? JOB : TURN;
  const given = Object.entries(found).filter(([field, value]) => fields.includes(field) && value !== undefined);
  const list = given.map(([field], index) => `${columnOf(field)} = $${index + 2}`).join(', ');
  return given.length === 0 ? undefined : { list, values: given.map(([, value]) => toColumn(value)) };
}
