import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeJson } from '../../base/json';
import { codedTextSchema } from '../../protocol/codedSchema';
import { coded, type CodedText } from '../../protocol/codedText';
import { projectSettingsSchema } from '../../protocol/localService';
import type { Job, Project, Turn } from './jobStore';

/** The prepared statements of one database, each made once, and its transactions. */
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

  /** All that the work writes, or nothing of it. One inside another is part of the outer one. */
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

  /** A full disk or a lost file ends the transaction by itself. */
  private rollBack(): void {
    if (this.database.isTransaction) {
      this.database.exec('ROLLBACK');
    }
  }
}

export const TURN_COLUMNS = `id, job_id AS jobId, prompt, state, reason, created_at AS createdAt, attempt, agent_pid AS agentPid,
  agent_start_time AS agentStartTime, started_at AS startedAt, ended_at AS endedAt, summary`;

export const JOB_COLUMNS = `id, project_id AS projectId, model, repository, base_commit AS baseCommit, base_branch AS baseBranch,
  published_commit AS publishedCommit, pushed_commit AS pushedCommit, pr_link AS prLink, note,
  agent_session AS session, session_agent AS sessionAgent, session_turn AS sessionTurn,
  review, created_at AS createdAt, archived_at AS archivedAt`;

type Row = Record<string, unknown> | undefined;

// SQLite's rows have no prototype; these are plain objects with the names of the columns above.

export function toJob(row: Row): Job | undefined {
  return row && ({ ...row, note: toText(row['note']) } as unknown as Job);
}

export function toTurn(row: Record<string, unknown>): Turn {
  return { ...row, reason: toText(row['reason']) } as unknown as Turn;
}

/** A text as JSON; earlier versions kept the English sentence as it is. */
function toText(column: unknown): CodedText | null {
  const parsed = typeof column === 'string' ? codedTextSchema.safeParse(decodeJson(column)) : undefined;
  return parsed?.data ?? (typeof column === 'string' ? coded('plain', { text: column }) : null);
}

export function toColumn(text: CodedText | null | undefined): string | null {
  return text ? JSON.stringify(text) : null;
}

/** Throws when the settings on disk are none; what a later version added to them is left out. */
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
