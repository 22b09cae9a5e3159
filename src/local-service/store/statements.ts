import type { DatabaseSync, StatementSync } from 'node:sqlite';
import * as z from 'zod/mini';
import { decodeJson } from '../../base/json';
import { changeCountsSchema } from '../../protocol/changes';
import { codedTextSchema } from '../../protocol/codedSchema';
import { coded, type CodedText } from '../../protocol/codedText';
import { projectSettingsSchema } from '../../protocol/localService';
import { usageSchema } from '../../protocol/usageSchema';
import type { Job, Project, Turn } from './jobStore';

const turnUsageSchema = z.extend(usageSchema, { session: z.string() });

/** Caches the prepared statements of one database, and runs its transactions. */
export class Statements {
  private readonly prepared = new Map<string, StatementSync>();

  constructor(private readonly database: DatabaseSync) {}

  sql(text: string): StatementSync {
    let statement = this.prepared.get(text);
    if (statement === undefined) {
      statement = this.database.prepare(text);
      this.prepared.set(text, statement);
    }
    return statement;
  }

  /** Runs the work in a transaction. A nested call joins the outer transaction. */
  together<T>(work: () => T): T {
    if (this.database.isTransaction) {
      return work();
    }
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      this.rollBack();
      throw error;
    }
  }

  /** Rolls back unless SQLite already has, as it does when the disk is full or the file is lost. */
  private rollBack(): void {
    if (this.database.isTransaction) {
      this.database.exec('ROLLBACK');
    }
  }
}

export const TURN_COLUMNS = `id, job_id AS jobId, prompt, state, reason, created_at AS createdAt, attempt, agent_pid AS agentPid,
  agent_start_time AS agentStartTime, started_at AS startedAt, ended_at AS endedAt, summary, usage, commit_id AS "commit"`;

export const JOB_COLUMNS = `id, project_id AS projectId, branch, model, repository, base_commit AS baseCommit, base_branch AS baseBranch,
  published_commit AS publishedCommit, changes, pushed_commit AS pushedCommit, pr_link AS prLink, note, left_out AS leftOut,
  agent_session AS session, session_agent AS sessionAgent, session_turn AS sessionTurn,
  review, created_at AS createdAt, archived_at AS archivedAt`;

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

/** Parses a text that is stored as JSON. Earlier versions stored the English sentence itself. */
function toText(column: unknown): CodedText | null {
  const parsed = typeof column === 'string' ? codedTextSchema.safeParse(decodeJson(column)) : undefined;
  return parsed?.data ?? (typeof column === 'string' ? coded('plain', { text: column }) : null);
}

export function toColumn(text: CodedText | null | undefined): string | null {
  return text ? JSON.stringify(text) : null;
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
