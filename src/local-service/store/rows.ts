import * as z from 'zod/mini';
import { decodeJson } from '../../base/json';
import type { ActivityEntry } from '../../protocol/activity';
import { changeCountsSchema } from '../../protocol/changes';
import type { CodedText } from '../../protocol/codedText';
import { projectSettingsSchema } from '../../protocol/localService';
import { usageSchema } from '../../protocol/usageSchema';
import { noteEntry, toEnglish } from '../codedText';
import type { Job, Project, RunRecord, Turn, TurnState } from './jobStore';

const turnUsageSchema = z.extend(usageSchema, { session: z.string() });

/** The columns of a `TurnOutline`. */
export const OUTLINE_COLUMNS = `id, job_id AS "jobId", state, reason, created_at AS "createdAt", attempt,
  free_attempts AS "freeAttempts", agent_pid AS "agentPid", agent_start_time AS "agentStartTime",
  started_at AS "startedAt", ended_at AS "endedAt", usage, commit_id AS "commit"`;

export const TURN_COLUMNS = `${OUTLINE_COLUMNS}, prompt, summary`;

export const JOB_COLUMNS = `id, project_id AS "projectId", branch, model, repository, base_commit AS "baseCommit",
  base_branch AS "baseBranch", published_commit AS "publishedCommit", changes, pushed_commit AS "pushedCommit",
  pushed_to AS "pushedTo", pr_link AS "prLink", note, left_out AS "leftOut", agent_session AS session, session_agent AS "sessionAgent",
  session_turn AS "sessionTurn", review, created_at AS "createdAt", archived_at AS "archivedAt"`;

export const UNFINISHED = "state IN ('queued', 'running', 'publishing')";

/** The state of a turn whose claim someone holds. */
export const CLAIMED = "state IN ('running', 'publishing')";

/** Ends a turn that was interrupted instead of requeuing it if a newer one of its job has replaced it. */
export const REQUEUED_STATE = `CASE WHEN state = 'publishing' THEN state
  WHEN EXISTS (SELECT 1 FROM turns AS newer WHERE newer.job_id = turns.job_id AND newer.id > turns.id) THEN 'cancelled'
  ELSE 'queued' END`;

/** The table and column of each field that a run may record. */
const RECORD_COLUMNS: Record<keyof RunRecord, readonly ['jobs' | 'turns', string]> = {
  model: ['jobs', 'model'],
  baseCommit: ['jobs', 'base_commit'],
  baseBranch: ['jobs', 'base_branch'],
  leftOut: ['jobs', 'left_out'],
  prLink: ['jobs', 'pr_link'],
  note: ['jobs', 'note'],
  pushedCommit: ['jobs', 'pushed_commit'],
  pushedTo: ['jobs', 'pushed_to'],
  session: ['jobs', 'agent_session'],
  sessionAgent: ['jobs', 'session_agent'],
  sessionTurn: ['jobs', 'session_turn'],
  agentPid: ['turns', 'agent_pid'],
  agentStartTime: ['turns', 'agent_start_time'],
  usage: ['turns', 'usage'],
};

/** What has to be written to a table: the columns, and their values in the same order. */
export interface ColumnChanges {
  columns: string[];
  values: (string | number | null)[];
}

/** Returns the columns of a table that a record changes. */
export function changesOf(table: 'jobs' | 'turns', found: RunRecord): ColumnChanges {
  const changes: ColumnChanges = { columns: [], values: [] };
  for (const [field, [its, column]] of Object.entries(RECORD_COLUMNS)) {
    const value = found[field as keyof RunRecord];
    if (its === table && value !== undefined) {
      changes.columns.push(column);
      changes.values.push(typeof value === 'object' ? toColumn(value) : value);
    }
  }
  return changes;
}

type Row = Record<string, unknown> | undefined;

// SQLite's rows have no prototype. These functions return plain objects with the column names above.

export function toJob(row: Row): Job | undefined {
  if (row === undefined) {
    return undefined;
  }
  const changes = changeCountsSchema.safeParse(decodeJson(String(row['changes']))).data ?? null;
  return { ...row, changes, note: toText(row['note']), leftOut: toText(row['leftOut']) } as unknown as Job;
}

export function toTurn(row: Record<string, unknown>): Turn {
  const usage = turnUsageSchema.safeParse(decodeJson(String(row['usage']))).data ?? null;
  return { ...row, reason: toText(row['reason']), usage } as unknown as Turn;
}

function toText(column: unknown): CodedText | null {
  return column === null ? null : (JSON.parse(column as string) as CodedText);
}

export function toColumn(value: object | null | undefined): string | null {
  return value ? JSON.stringify(value) : null;
}

/** The entries in the activity log for a turn that was requeued, or cancelled instead. */
export function requeueEntries({ state, startedAt }: Turn, note: CodedText): ActivityEntry[] {
  if (state === 'cancelled') {
    return [stateEntry('cancelled')];
  }
  return startedAt === null ? [] : [noteEntry(note)];
}

/** The entry in the activity log for a turn's new state. */
export function stateEntry(state: TurnState, coded?: CodedText): ActivityEntry {
  return coded === undefined ? { kind: 'state', state } : { kind: 'state', state, reason: toEnglish(coded), coded };
}

/** Throws when the settings on disk are invalid. Settings that a later version added are ignored. */
export function toProject(row: Row): Project | undefined {
  return (
    row && {
      id: row['id'] as string,
      name: row['name'] as string,
      folder: row['folder'] as string,
      settings: projectSettingsSchema.parse(JSON.parse(row['settings'] as string)),
    }
  );
}
