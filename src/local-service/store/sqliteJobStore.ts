import type { DatabaseSync } from 'node:sqlite';
import { Emitter } from '../../base/disposable';
import type { CodedText } from '../../protocol/codedText';
import { projectSettingsSchema } from '../../protocol/localService';
import { SqliteActivityLog } from './activityLog';
import { limitWaitMs } from './hourlyLimit';
import type { ActivityLogStore, Admission, Job, JobStore, JobWithTurns, NewJob, RequestKind, Turn } from './jobStore';
import { openDatabase } from './openDatabase';
import {
  JOB_COLUMNS,
  OUTLINE_COLUMNS,
  stateEntry,
  toColumn,
  toJob,
  toProject,
  toTurn,
  TURN_COLUMNS,
  UNFINISHED,
} from './rows';
import { SqliteRuns } from './sqliteRuns';
import { Statements } from './statements';

const PUT_PROJECT = `
  INSERT INTO projects (id, name, folder, settings) VALUES (:id, :name, :folder, coalesce(:settings, :defaults))
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, folder = excluded.folder,
    settings = coalesce(:settings, settings)
  RETURNING id, name, folder, settings`;

const ADD_JOB = `
  INSERT INTO jobs (id, project_id, branch, model, repository, base_commit, base_branch, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

/** A page starts after the last job of the previous page. */
const LIST_JOBS = `
  SELECT ${JOB_COLUMNS} FROM jobs
  WHERE project_id = :project AND (:before IS NULL
    OR (created_at, id) < (SELECT created_at, id FROM jobs WHERE project_id = :project AND id = :before))
  ORDER BY created_at DESC, id DESC LIMIT :limit`;

const CANCEL_QUEUED = `
  UPDATE turns SET state = 'cancelled', reason = :reason, ended_at = :now WHERE job_id = :job AND state = 'queued'
  RETURNING id`;

const NTH_NEWEST = `
  SELECT created_at AS "createdAt" FROM turns WHERE project_id = ? AND operation = ? AND created_at <= ?
  ORDER BY created_at DESC LIMIT 1 OFFSET ?`;

/** The store in one SQLite file, which is locked for other processes while this one lives. */
export class SqliteJobStore implements JobStore, ActivityLogStore {
  private readonly statements: Statements;
  private readonly stories: SqliteActivityLog;
  private readonly runs: SqliteRuns;
  private readonly changed = new Emitter<string>(() => undefined);

  readonly onJob = this.changed.event;

  private constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => number,
  ) {
    this.statements = new Statements(database);
    this.stories = new SqliteActivityLog(this.statements, now);
    this.runs = new SqliteRuns(this.statements, this.stories, now, (jobId) => this.changed.fire(jobId));
  }

  /**
   * Throws StoreInUse when another service uses the same file.
   *
   * @param onSetAside called with the new path of a damaged file
   */
  static open(file: string, now: () => number = Date.now, onSetAside?: (path: string) => void): SqliteJobStore {
    return new SqliteJobStore(openDatabase(file, onSetAside), now);
  }

  putProject: JobStore['putProject'] = async ({ id, name, folder, settings }) => {
    const defaults = JSON.stringify(projectSettingsSchema.parse({}));
    const row = this.sql(PUT_PROJECT).get({ id, name, folder, settings: toColumn(settings), defaults });
    const project = toProject(row);
    if (project === undefined) {
      throw new Error('the database didn’t save the project');
    }
    return project;
  };

  project: JobStore['project'] = async (id) =>
    toProject(this.sql('SELECT id, name, folder, settings FROM projects WHERE id = ?').get(id));

  async createJob(job: NewJob, prompt: string, perHour: number): Promise<Admission> {
    return this.admit(job, 'create', perHour, (now) => {
      const { id, projectId, model, repository, baseCommit, baseBranch } = job;
      const branch = job.branches.find((name) => !this.hasBranch(name)) ?? `docs-agent/${id}`;
      this.sql(ADD_JOB).run(id, projectId, branch, model, repository, baseCommit, baseBranch, now);
      this.addTurn(job, 'create', prompt, now);
    });
  }

  async addFollowUp(
    job: Pick<Job, 'id' | 'projectId'>,
    prompt: string,
    perHour: number,
  ): Promise<Admission | undefined> {
    if (this.readJob(job.id)?.projectId !== job.projectId) {
      return undefined;
    }
    return this.admit(job, 'message', perHour, (now) => {
      this.endQueued(job.id);
      const isPutAway = 'archived_at IS NOT NULL OR review IS NOT NULL';
      this.sql(`UPDATE jobs SET archived_at = NULL, review = NULL WHERE id = ? AND (${isPutAway})`).run(job.id);
      this.addTurn(job, 'message', prompt, now);
    });
  }

  cancelQueued: JobStore['cancelQueued'] = async (jobId, reason) => {
    if (this.statements.together(() => this.endQueued(jobId, reason))) {
      this.changed.fire(jobId);
    }
  };

  archiveJob: JobStore['archiveJob'] = async (jobId) => {
    const isArchived = this.statements.together(() => {
      if (this.readEndedAt(jobId) === undefined) {
        return false;
      }
      this.sql('UPDATE jobs SET archived_at = ? WHERE id = ? AND archived_at IS NULL').run(this.now(), jobId);
      return true;
    });
    if (isArchived) {
      this.changed.fire(jobId);
    }
    return isArchived;
  };

  setReview: JobStore['setReview'] = async (jobId, review) => {
    const isOpen = "review IS NULL OR review <> 'merged'";
    const { changes } = this.sql(`UPDATE jobs SET review = ? WHERE id = ? AND (${isOpen})`).run(review, jobId);
    if (changes > 0) {
      this.changed.fire(jobId);
    }
    return changes > 0;
  };

  reopenMerged: JobStore['reopenMerged'] = async (jobId) => {
    if (this.sql("UPDATE jobs SET review = NULL WHERE id = ? AND review = 'merged'").run(jobId).changes > 0) {
      this.changed.fire(jobId);
    }
  };

  job: JobStore['job'] = async (id) => this.readJob(id);

  jobWithTurns: JobStore['jobWithTurns'] = async (id) => this.withTurns(this.readJob(id));

  jobs: JobStore['jobs'] = async (projectId, limit, before) => {
    const rows = this.sql(LIST_JOBS).all({ project: projectId, before: before ?? null, limit });
    return rows.map((row) => this.withTurns(toJob(row))).filter((job) => job !== undefined);
  };

  turns: JobStore['turns'] = async (jobId) => this.readTurns(jobId);

  unfinishedTurns: JobStore['unfinishedTurns'] = async () =>
    this.sql(`SELECT ${TURN_COLUMNS} FROM turns WHERE ${UNFINISHED} ORDER BY id`).all().map(toTurn);

  endedAt: JobStore['endedAt'] = async (jobId) => this.readEndedAt(jobId);

  claimTurn: JobStore['claimTurn'] = (turn) => this.runs.claimTurn(turn);

  record: JobStore['record'] = (claim, found) => this.runs.record(claim, found);

  startPublishing: JobStore['startPublishing'] = (...all) => this.runs.startPublishing(...all);

  recordCommit: JobStore['recordCommit'] = (...all) => this.runs.recordCommit(...all);

  finishTurn: JobStore['finishTurn'] = (...all) => this.runs.finishTurn(...all);

  requeueTurn: JobStore['requeueTurn'] = (claim, how) => this.runs.requeueTurn(claim, how);

  addStory: ActivityLogStore['addStory'] = (claim, entries) => this.stories.addStory(claim, entries);

  story: ActivityLogStore['story'] = (jobId, after, limit) => this.stories.story(jobId, after, limit);

  dropStories: ActivityLogStore['dropStories'] = (archivedBefore) => this.stories.dropStories(archivedBefore);

  onStory: ActivityLogStore['onStory'] = (listener) => this.stories.onStory(listener);

  /** The port that the service listened on last. */
  lastPort(): number | undefined {
    const row = this.sql("SELECT value FROM meta WHERE name = 'port'").get() as { value: string } | undefined;
    return row && Number(row.value);
  }

  setLastPort(port: number): void {
    this.sql("INSERT OR REPLACE INTO meta (name, value) VALUES ('port', ?)").run(String(port));
  }

  async close(): Promise<void> {
    this.database.close();
  }

  private sql(text: string) {
    return this.statements.sql(text);
  }

  /** Does the work of a request in a transaction, unless the project has reached its hourly limit. */
  private admit(
    { id, projectId }: Pick<Job, 'id' | 'projectId'>,
    operation: RequestKind,
    perHour: number,
    work: (now: number) => void,
  ): Admission {
    const admission = this.statements.together(() => {
      const now = this.now();
      const row = this.sql(NTH_NEWEST).get(projectId, operation, now, perHour - 1);
      const waitMs = limitWaitMs(row?.['createdAt'] as number | undefined, now);
      if (waitMs > 0) {
        return { waitMs };
      }
      work(now);
      const job = this.withTurns(this.readJob(id));
      if (job === undefined) {
        throw new Error('the database didn’t save the job');
      }
      return { job };
    });
    if ('job' in admission) {
      this.changed.fire(id);
    }
    return admission;
  }

  private addTurn(job: Pick<Job, 'id' | 'projectId'>, operation: RequestKind, prompt: string, now: number): void {
    const { lastInsertRowid } = this.sql(
      `INSERT INTO turns (job_id, project_id, operation, prompt, state, created_at) VALUES (?, ?, ?, ?, 'queued', ?)`,
    ).run(job.id, job.projectId, operation, prompt, now);
    this.stories.add(job.id, Number(lastInsertRowid), [stateEntry('queued')]);
  }

  /** Returns whether there were any. */
  private endQueued(jobId: string, reason?: CodedText): boolean {
    const rows = this.sql(CANCEL_QUEUED).all({ job: jobId, reason: toColumn(reason), now: this.now() });
    rows.forEach((row) => this.stories.add(jobId, row['id'] as number, [stateEntry('cancelled', reason)]));
    return rows.length > 0;
  }

  private hasBranch(name: string): boolean {
    return this.sql('SELECT 1 FROM jobs WHERE branch = ? LIMIT 1').get(name) !== undefined;
  }

  private readJob(id: string): Job | undefined {
    return toJob(this.sql(`SELECT ${JOB_COLUMNS} FROM jobs WHERE id = ?`).get(id));
  }

  private readTurns(jobId: string): Turn[] {
    return this.sql(`SELECT ${TURN_COLUMNS} FROM turns WHERE job_id = ? ORDER BY id`).all(jobId).map(toTurn);
  }

  private withTurns(job: Job | undefined): JobWithTurns | undefined {
    const turns = `SELECT ${OUTLINE_COLUMNS} FROM turns WHERE job_id = ? ORDER BY id`;
    return job && { ...job, turns: this.sql(turns).all(job.id).map(toTurn) };
  }

  private readEndedAt(jobId: string): number | undefined {
    const row = this.sql(
      `SELECT max(coalesce(ended_at, created_at)) AS at, total(${UNFINISHED}) AS open FROM turns WHERE job_id = ?`,
    ).get(jobId) as { at: number | null; open: number } | undefined;
    return row === undefined || row.open > 0 || row.at === null ? undefined : row.at;
  }
}
