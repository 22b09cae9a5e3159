import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from './openDatabase';
import type { Job, JobStore, Operation, Project, Turn, TurnState } from './jobStore';

const TURN_COLUMNS = 'id, job_id AS jobId, prompt, state, reason, created_at AS createdAt';

const JOB_COLUMNS = `id, project_id AS projectId, model, repository, base_commit AS baseCommit, base_branch AS baseBranch,
  capability, published_commit AS publishedCommit, created_at AS createdAt`;

const UNFINISHED = "state IN ('queued', 'running', 'publishing')";

/** The store in one SQLite file, which this process alone may use while it lives. */
export class SqliteJobStore implements JobStore {
  private constructor(private readonly database: DatabaseSync) {}

  /** Throws StoreInUse when another service works on the same file. */
  static open(file: string): SqliteJobStore {
    return new SqliteJobStore(openDatabase(file));
  }

  putProject({ id, name, folder, agentCommand }: Project): void {
    this.database
      .prepare(
        `INSERT INTO projects (id, name, folder, agent_command) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, folder = excluded.folder, agent_command = excluded.agent_command`,
      )
      .run(id, name, folder, JSON.stringify(agentCommand));
  }

  project(id: string): Project | undefined {
    const row = this.database
      .prepare('SELECT id, name, folder, agent_command AS agentCommand FROM projects WHERE id = ?')
      .get(id) as (Omit<Project, 'agentCommand'> & { agentCommand: string }) | undefined;
    return row && { ...row, agentCommand: JSON.parse(row.agentCommand) as string[] };
  }

  addJob(job: Job, prompt: string): Turn {
    return this.together(() => {
      this.database
        .prepare(
          `INSERT INTO jobs (id, project_id, model, repository, base_commit, base_branch, capability, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          job.id,
          job.projectId,
          job.model,
          job.repository,
          job.baseCommit,
          job.baseBranch,
          job.capability,
          job.createdAt,
        );
      return this.insertTurn(job, 'create', prompt, job.createdAt);
    });
  }

  addTurn(job: Job, prompt: string, createdAt: number): Turn {
    return this.insertTurn(job, 'message', prompt, createdAt);
  }

  job(id: string): Job | undefined {
    return this.database.prepare(`SELECT ${JOB_COLUMNS} FROM jobs WHERE id = ?`).get(id) as Job | undefined;
  }

  turns(jobId: string): Turn[] {
    const statement = this.database.prepare(`SELECT ${TURN_COLUMNS} FROM turns WHERE job_id = ? ORDER BY id`);
    return statement.all(jobId) as unknown as Turn[];
  }

  setTurn(turnId: number, state: TurnState, reason?: string): void {
    this.database.prepare('UPDATE turns SET state = ?, reason = ? WHERE id = ?').run(state, reason ?? null, turnId);
  }

  setBase(jobId: string, commit: string, branch: string | null): void {
    this.database.prepare('UPDATE jobs SET base_commit = ?, base_branch = ? WHERE id = ?').run(commit, branch, jobId);
  }

  setPublished(jobId: string, commit: string): void {
    this.database.prepare('UPDATE jobs SET published_commit = ? WHERE id = ?').run(commit, jobId);
  }

  unfinishedJobs(): string[] {
    const rows = this.database.prepare(`SELECT DISTINCT job_id AS id FROM turns WHERE ${UNFINISHED}`).all();
    return rows.map((row) => row['id'] as string);
  }

  failUnfinished(reason: string): number {
    const result = this.database
      .prepare(`UPDATE turns SET state = 'failed', reason = ? WHERE ${UNFINISHED}`)
      .run(reason);
    return Number(result.changes);
  }

  nthNewest(projectId: string, operation: Operation, n: number): number | undefined {
    const row = this.database
      .prepare(
        `SELECT created_at AS createdAt FROM turns WHERE project_id = ? AND operation = ?
         ORDER BY created_at DESC LIMIT 1 OFFSET ?`,
      )
      .get(projectId, operation, n - 1) as { createdAt: number } | undefined;
    return row?.createdAt;
  }

  lastPort(): number | undefined {
    const row = this.database.prepare("SELECT value FROM meta WHERE name = 'port'").get() as
      { value: string } | undefined;
    return row && Number(row.value);
  }

  setLastPort(port: number): void {
    this.database.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('port', ?)").run(String(port));
  }

  close(): void {
    this.database.close();
  }

  private insertTurn(job: Job, operation: Operation, prompt: string, createdAt: number): Turn {
    const { lastInsertRowid } = this.database
      .prepare(
        `INSERT INTO turns (job_id, project_id, operation, prompt, state, created_at) VALUES (?, ?, ?, ?, 'queued', ?)`,
      )
      .run(job.id, job.projectId, operation, prompt, createdAt);
    return { id: Number(lastInsertRowid), jobId: job.id, prompt, state: 'queued', reason: null, createdAt };
  }

  private together<T>(work: () => T): T {
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      this.database.exec('ROLLBACK');
      throw error;
    }
  }
}
