import type { DatabaseSync } from 'node:sqlite';
import { Emitter } from '../../base/disposable';
import type { ChangeCounts } from '../../protocol/changes';
import type { CodedText } from '../../protocol/codedText';
import type { ActivityEntry } from '../../protocol/activity';
import { noteEntry, toEnglish } from '../codedText';
import type {
  Job,
  JobStore,
  NewJob,
  RequestKind,
  Project,
  ReviewEnd,
  ActivityLogStore,
  Turn,
  TurnState,
  TurnUsage,
} from './jobStore';
import { openDatabase } from './openDatabase';
import { JOB_COLUMNS, Statements, toColumn, toJob, toProject, toTurn, TURN_COLUMNS } from './statements';
import { SqliteActivityLog } from './activityLog';

const UNFINISHED = "state IN ('queued', 'running', 'publishing')";

/** The capability opened review pages in older versions; nothing reads it anymore. */
const ADD_JOB = `
  INSERT INTO jobs (id, project_id, branch, model, repository, base_commit, base_branch, capability, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, '', ?)`;

/** A page starts after the last job of the previous page. */
const LIST_JOBS = `
  SELECT ${JOB_COLUMNS} FROM jobs
  WHERE project_id = :project AND (:before IS NULL
    OR (created_at, id) < (SELECT created_at, id FROM jobs WHERE project_id = :project AND id = :before))
  ORDER BY created_at DESC, id DESC LIMIT :limit`;

const SET_TURN = `
  UPDATE turns SET state = :state, reason = :reason,
    attempt = attempt + (:state = 'running'),
    started_at = CASE WHEN :state = 'running' THEN :now ELSE started_at END,
    ended_at = CASE WHEN :state IN ('done', 'failed', 'cancelled') THEN :now END,
    agent_pid = NULL, agent_start_time = NULL
  WHERE id = :id RETURNING job_id AS jobId`;

const REQUEUE_TURN = `
  UPDATE turns SET state = CASE state WHEN 'running' THEN 'queued' ELSE state END,
    attempt = attempt - (:free AND state = 'running'),
    agent_pid = NULL, agent_start_time = NULL
  WHERE id = :id RETURNING job_id AS jobId, started_at AS startedAt`;

/** The store in one SQLite file, which is locked for other processes while this one lives. */
export class SqliteJobStore implements JobStore, ActivityLogStore {
  private readonly statements: Statements;
  private readonly stories: SqliteActivityLog;
  private readonly changed = new Emitter<string>(() => undefined);

  readonly onJob = this.changed.event;

  private constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => number,
  ) {
    this.statements = new Statements(database);
    this.stories = new SqliteActivityLog(this.statements, now);
  }

  /**
   * Throws StoreInUse when another service uses the same file.
   *
   * @param onSetAside called with the new path of a damaged file
   */
  static open(file: string, now: () => number = Date.now, onSetAside?: (path: string) => void): SqliteJobStore {
    return new SqliteJobStore(openDatabase(file, onSetAside), now);
  }

  putProject({ id, name, folder, settings }: Project): void {
    this.sql(
      `INSERT INTO projects (id, name, folder, settings) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name, folder = excluded.folder, settings = excluded.settings`,
    ).run(id, name, folder, JSON.stringify(settings));
  }

  project(id: string): Project | undefined {
    return toProject(this.sql('SELECT id, name, folder, settings FROM projects WHERE id = ?').get(id));
  }

  addJob(job: NewJob, prompt: string): Turn {
    const turn = this.statements.together(() => {
      const { id, projectId, branch, model, repository, baseCommit, baseBranch, createdAt } = job;
      this.sql(ADD_JOB).run(id, projectId, branch, model, repository, baseCommit, baseBranch, createdAt);
      return this.insertTurn(job, 'create', prompt, createdAt);
    });
    this.changed.fire(job.id);
    return turn;
  }

  addTurn(job: Pick<Job, 'id' | 'projectId'>, prompt: string, createdAt: number): Turn {
    const turn = this.statements.together(() => {
      const isPutAway = 'archived_at IS NOT NULL OR review IS NOT NULL';
      this.sql(`UPDATE jobs SET archived_at = NULL, review = NULL WHERE id = ? AND (${isPutAway})`).run(job.id);
      return this.insertTurn(job, 'message', prompt, createdAt);
    });
    this.changed.fire(job.id);
    return turn;
  }

  job(id: string): Job | undefined {
    return toJob(this.sql(`SELECT ${JOB_COLUMNS} FROM jobs WHERE id = ?`).get(id));
  }

  jobs(projectId: string, limit: number, before?: string): Job[] {
    const rows = this.sql(LIST_JOBS).all({ project: projectId, before: before ?? null, limit });
    return rows.map((row) => toJob(row)).filter((job) => job !== undefined);
  }

  hasBranch(name: string): boolean {
    return this.sql('SELECT 1 FROM jobs WHERE branch = ? LIMIT 1').get(name) !== undefined;
  }

  jobIds(): string[] {
    return this.sql('SELECT id FROM jobs ORDER BY created_at')
      .all()
      .map((row) => row['id'] as string);
  }

  setBase(jobId: string, commit: string, branch: string | null): void {
    this.sql('UPDATE jobs SET base_commit = ?, base_branch = ? WHERE id = ?').run(commit, branch, jobId);
  }

  setModel(jobId: string, model: string): void {
    this.sql('UPDATE jobs SET model = ? WHERE id = ? AND model <> ?').run(model, jobId, model);
  }

  setLeftOut(jobId: string, leftOut: CodedText | null): void {
    this.sql('UPDATE jobs SET left_out = ? WHERE id = ?').run(toColumn(leftOut), jobId);
  }

  setPublished(jobId: string, commit: string, changes: ChangeCounts | null): void {
    const counts = changes && JSON.stringify(changes);
    this.sql('UPDATE jobs SET published_commit = ?, changes = ? WHERE id = ?').run(commit, counts, jobId);
  }

  setPublication(jobId: string, { prLink, note, pushedCommit }: Pick<Job, 'prLink' | 'note' | 'pushedCommit'>): void {
    this.sql('UPDATE jobs SET pr_link = ?, note = ?, pushed_commit = ? WHERE id = ?').run(
      prLink,
      toColumn(note),
      pushedCommit,
      jobId,
    );
  }

  setSession(jobId: string, agent: string, session: string, turnId: number): void {
    const values = 'session_agent = ?, agent_session = ?, session_turn = ?';
    this.sql(`UPDATE jobs SET ${values} WHERE id = ?`).run(agent, session, turnId, jobId);
  }

  setReview(jobId: string, review: ReviewEnd | null): void {
    this.sql('UPDATE jobs SET review = ? WHERE id = ?').run(review, jobId);
    this.changed.fire(jobId);
  }

  setArchived(jobId: string, at: number): void {
    this.sql('UPDATE jobs SET archived_at = ? WHERE id = ?').run(at, jobId);
    this.changed.fire(jobId);
  }

  turns(jobId: string): Turn[] {
    return this.sql(`SELECT ${TURN_COLUMNS} FROM turns WHERE job_id = ? ORDER BY id`).all(jobId).map(toTurn);
  }

  unfinishedTurns(): Turn[] {
    return this.sql(`SELECT ${TURN_COLUMNS} FROM turns WHERE ${UNFINISHED} ORDER BY id`).all().map(toTurn);
  }

  endedAt(jobId: string): number | undefined {
    const row = this.sql(
      `SELECT max(coalesce(ended_at, created_at)) AS at, total(${UNFINISHED}) AS open FROM turns WHERE job_id = ?`,
    ).get(jobId) as { at: number | null; open: number } | undefined;
    return row === undefined || row.open > 0 || row.at === null ? undefined : row.at;
  }

  setTurn(turnId: number, state: TurnState, reason?: CodedText): void {
    const jobId = this.statements.together(() => {
      const row = this.sql(SET_TURN).get({ id: turnId, state, reason: toColumn(reason), now: this.now() });
      const changed = row?.['jobId'] as string | undefined;
      if (changed !== undefined) {
        this.addStory(changed, turnId, [stateEntry(state, reason)]);
      }
      return changed;
    });
    if (jobId !== undefined) {
      this.changed.fire(jobId);
    }
  }

  requeueTurn(turnId: number, { isFree, note }: { isFree: boolean; note: CodedText }): void {
    this.statements.together(() => {
      const row = this.sql(REQUEUE_TURN).get({ id: turnId, free: isFree ? 1 : 0 });
      if (row !== undefined && row['startedAt'] !== null) {
        this.addStory(row['jobId'] as string, turnId, [noteEntry(note)]);
      }
    });
  }

  setAgentProcess(turnId: number, pid: number, startTime: string): void {
    this.sql('UPDATE turns SET agent_pid = ?, agent_start_time = ? WHERE id = ?').run(pid, startTime, turnId);
  }

  setSummary(turnId: number, summary: string): void {
    this.sql('UPDATE turns SET summary = ? WHERE id = ?').run(summary, turnId);
  }

  setUsage(turnId: number, usage: TurnUsage): void {
    this.sql('UPDATE turns SET usage = ? WHERE id = ?').run(JSON.stringify(usage), turnId);
  }

  setTurnCommit(turnId: number, commit: string): void {
    this.sql('UPDATE turns SET commit_id = ? WHERE id = ?').run(commit, turnId);
  }

  nthNewest(projectId: string, operation: RequestKind, n: number, until: number): number | undefined {
    const row = this.sql(
      `SELECT created_at AS createdAt FROM turns WHERE project_id = ? AND operation = ? AND created_at <= ?
       ORDER BY created_at DESC LIMIT 1 OFFSET ?`,
    ).get(projectId, operation, until, n - 1) as { createdAt: number } | undefined;
    return row?.createdAt;
  }

  addStory: ActivityLogStore['addStory'] = (jobId, turnId, entries) => this.stories.addStory(jobId, turnId, entries);

  story: ActivityLogStore['story'] = (jobId, after, limit) => this.stories.story(jobId, after, limit);

  dropStories: ActivityLogStore['dropStories'] = (archivedBefore) => this.stories.dropStories(archivedBefore);

  onStory: ActivityLogStore['onStory'] = (listener) => this.stories.onStory(listener);

  lastPort(): number | undefined {
    const row = this.sql("SELECT value FROM meta WHERE name = 'port'").get() as { value: string } | undefined;
    return row && Number(row.value);
  }

  setLastPort(port: number): void {
    this.sql("INSERT OR REPLACE INTO meta (name, value) VALUES ('port', ?)").run(String(port));
  }

  close(): void {
    this.database.close();
  }

  private sql(text: string) {
    return this.statements.sql(text);
  }

  private insertTurn(
    job: Pick<Job, 'id' | 'projectId'>,
    operation: RequestKind,
    prompt: string,
    createdAt: number,
  ): Turn {
    const row = this.sql(
      `INSERT INTO turns (job_id, project_id, operation, prompt, state, created_at) VALUES (?, ?, ?, ?, 'queued', ?)
       RETURNING ${TURN_COLUMNS}`,
    ).get(job.id, job.projectId, operation, prompt, createdAt);
    if (row === undefined) {
      throw new Error('the database didn’t save the turn');
    }
    const turn = toTurn(row);
    this.addStory(job.id, turn.id, [stateEntry('queued')]);
    return turn;
  }
}

function stateEntry(state: TurnState, coded?: CodedText): ActivityEntry {
  return coded === undefined ? { kind: 'state', state } : { kind: 'state', state, reason: toEnglish(coded), coded };
}
