import { HOUR_MS } from '../../base/async';
import { Emitter } from '../../base/disposable';
import { projectSettingsSchema } from '../../protocol/localService';
import { dropActivity, readActivity } from './activityTable';
import type { Database, Query } from './database';
import { CLAIMED, JobChange, NO_AGENT, UNFINISHED } from './jobChange';
import type {
  ActivityLogStore,
  Admission,
  Claim,
  Job,
  JobStore,
  JobWithTurns,
  Project,
  RequestKind,
  RunRecord,
} from './jobStore';
import {
  assignments,
  JOB_AND_TURN_COLUMNS,
  JOB_COLUMNS,
  PROJECT_COLUMNS,
  toColumn,
  toJob,
  toJobsWithTurns,
  toProject,
  toTurn,
  TURN_COLUMNS,
} from './tables';

const PUT_PROJECT = `
  INSERT INTO projects (id, name, folder, settings, git_dir) VALUES ($1, $2, $3, coalesce($4, $5), $6)
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, folder = excluded.folder,
    git_dir = coalesce(excluded.git_dir, projects.git_dir), settings = coalesce($4, projects.settings)
  RETURNING ${PROJECT_COLUMNS}`;

/** Reads only the requests that can count: otherwise, a high limit would read all that there ever were. */
const NTH_NEWEST = `
  SELECT at, (SELECT created_at FROM turns
    WHERE project_id = $1 AND operation = $2 AND created_at > at - ${HOUR_MS} AND created_at <= at
    ORDER BY created_at DESC LIMIT 1 OFFSET $3) AS nth
  FROM (SELECT now_ms() AS at) AS present`;

/** The job gets the first of the branches that no other one has. */
function addJob(branches: readonly string[]): string {
  const names = branches.map((_, index) => `SELECT ${index} AS place, CAST($${index + 8} AS text) AS name`);
  return `
    INSERT INTO jobs (id, project_id, model, repository, base_commit, base_branch, created_at, branch)
    VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT name FROM (${names.join(' UNION ALL ')}) AS names
      WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE branch = name) ORDER BY place LIMIT 1))`;
}

const ADD_TURN = `
  INSERT INTO turns (job_id, project_id, operation, prompt, state, created_at) VALUES ($1, $2, $3, $4, 'queued', $5)
  RETURNING id`;

/** Jobs with their turns, as they are at one moment. Leaves out prompts and summaries, which may be long. */
const WITH_TURNS = `SELECT ${JOB_AND_TURN_COLUMNS} FROM jobs JOIN turns ON turns.job_id = jobs.id`;

/** A page starts after the last job of the previous page. */
const LIST_JOBS = `${WITH_TURNS}
  WHERE jobs.id IN (
    SELECT id FROM jobs WHERE project_id = $1 AND (CAST($2 AS text) IS NULL
      OR (created_at, id) < (SELECT created_at, id FROM jobs WHERE project_id = $1 AND id = $2))
    ORDER BY created_at DESC, id DESC LIMIT $3)
  ORDER BY jobs.created_at DESC, jobs.id DESC, turns.id`;

const START_PUBLISHING = `UPDATE turns SET state = 'publishing', summary = $2, reason = $3, ${NO_AGENT} WHERE id = $1`;

const SET_TURN_COMMIT = 'UPDATE turns SET "commit" = $2 WHERE id = $1';
const SET_JOB_COMMIT = 'UPDATE jobs SET published_commit = $2, changes = $3, review = NULL WHERE id = $1';

const ENDED_AT = `
  SELECT max(coalesce(ended_at, created_at)) AS at FROM turns WHERE job_id = $1
  HAVING sum(CASE WHEN ${UNFINISHED} THEN 1 ELSE 0 END) = 0`;

/**
 * Puts a new turn into a queue, in the transaction that adds it. Without a queue, the process that serves requests also
 * runs turns.
 */
export type Enqueue = (query: Query, turn: NewTurn) => Promise<void>;

export interface NewTurn {
  id: number;
  jobId: string;
  resumesAt?: number;
  /** Whether it is the first one of its job, so that no worker has the job yet. */
  isFirst?: boolean;
}

/** The store in a database, which several processes may use. */
export class SqlJobStore implements JobStore, ActivityLogStore {
  private readonly changed = new Emitter<string | undefined>(() => undefined);
  private readonly grown = new Emitter<string | undefined>(() => undefined);

  readonly onJob = this.changed.event;
  readonly onActivity = this.grown.event;

  private constructor(
    private readonly database: Database,
    private readonly enqueue: Enqueue,
  ) {}

  /** The database must have the tables. Closing the store closes the database. */
  static async open(database: Database, enqueue: Enqueue = async () => undefined): Promise<SqlJobStore> {
    const store = new SqlJobStore(database, enqueue);
    const emitters = { job_changed: store.changed, activity_grown: store.grown };
    await database.listen((channel, jobId) => emitters[channel].fire(jobId));
    return store;
  }

  putProject: JobStore['putProject'] = async ({ id, name, folder, gitDir = null, settings }) => {
    const defaults = JSON.stringify(projectSettingsSchema.parse({}));
    const rows = await this.database.query(PUT_PROJECT, [id, name, folder, toColumn(settings), defaults, gitDir]);
    return toProject(rows[0] ?? {});
  };

  project: JobStore['project'] = async (id) => {
    const [row] = await this.database.query(`SELECT ${PROJECT_COLUMNS} FROM projects WHERE id = $1`, [id]);
    return row && toProject(row);
  };

  async projects(): Promise<Project[]> {
    return (await this.database.query(`SELECT ${PROJECT_COLUMNS} FROM projects ORDER BY name, id`)).map(toProject);
  }

  createJob: JobStore['createJob'] = (job, prompt, perHour) =>
    this.admit(job, { operation: 'create', prompt, perHour }, async ({ query }, now, addTurn) => {
      const { id, projectId, model, repository, baseCommit, baseBranch } = job;
      const branches = [...job.branches, `docs-agent/${id}`];
      const values = [id, projectId, model, repository, baseCommit, baseBranch, now, ...branches];
      const [, turn] = await Promise.all([query(addJob(branches), values), addTurn()]);
      return turn;
    });

  addFollowUp: JobStore['addFollowUp'] = async (job, prompt, perHour) => {
    if ((await this.job(job.id))?.projectId !== job.projectId) {
      return undefined;
    }
    return this.admit(job, { operation: 'message', prompt, perHour }, async (change, _, addTurn) => {
      await change.stop('message');
      await change.query('UPDATE jobs SET archived_at = NULL, review = NULL WHERE id = $1', [job.id]);
      return addTurn();
    });
  };

  requestStop: JobStore['requestStop'] = (jobId, reason) => this.change(jobId, (change) => change.stop('user', reason));

  archiveJob: JobStore['archiveJob'] = (jobId) =>
    this.change(jobId, async (change) => {
      if ((await readEndedAt(change, jobId)) === undefined) {
        return false;
      }
      const update = 'UPDATE jobs SET archived_at = coalesce(archived_at, now_ms()), unsaved = NULL WHERE id = $1';
      return change.reportUpdate(update, [jobId]);
    });

  unarchiveJob: JobStore['unarchiveJob'] = async (jobId) => {
    const update = 'UPDATE jobs SET archived_at = NULL WHERE id = $1 AND archived_at IS NOT NULL';
    await this.change(jobId, (change) => change.reportUpdate(update, [jobId]));
  };

  setReview: JobStore['setReview'] = (jobId, review) => {
    const update = "UPDATE jobs SET review = $2 WHERE id = $1 AND review IS DISTINCT FROM 'merged'";
    return this.change(jobId, (change) => change.reportUpdate(update, [jobId, review]));
  };

  changeJob: JobStore['changeJob'] = async (jobId, found) => {
    const set = assignments('jobs', found);
    if (set !== undefined) {
      const update = `UPDATE jobs SET ${set.list} WHERE id = $1`;
      await this.change(jobId, (change) => change.reportUpdate(update, [jobId, ...set.values]));
    }
  };

  reopenMerged: JobStore['reopenMerged'] = async (jobId) => {
    const update = "UPDATE jobs SET review = NULL WHERE id = $1 AND review = 'merged'";
    await this.change(jobId, (change) => change.reportUpdate(update, [jobId]));
  };

  job: JobStore['job'] = async (id) => {
    const [row] = await this.database.query(`SELECT ${JOB_COLUMNS} FROM jobs WHERE id = $1`, [id]);
    return row && toJob(row);
  };

  jobWithTurns: JobStore['jobWithTurns'] = (id) => readJob(this.database, id);

  jobs: JobStore['jobs'] = async (projectId, limit, before) =>
    toJobsWithTurns(await this.database.query(LIST_JOBS, [projectId, before ?? null, limit]));

  openJobs: JobStore['openJobs'] = async (limit, worker) => {
    const isOwn = worker === undefined ? '' : 'AND worker = $2';
    const select = `SELECT ${JOB_COLUMNS} FROM jobs WHERE archived_at IS NULL AND review IS NULL ${isOwn}
      AND published_commit IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns WHERE job_id = jobs.id AND ${UNFINISHED})
      ORDER BY created_at DESC, id DESC LIMIT $1`;
    return (await this.database.query(select, worker === undefined ? [limit] : [limit, worker])).map(toJob);
  };

  turns: JobStore['turns'] = async (jobId) => {
    const select = `SELECT ${TURN_COLUMNS} FROM turns WHERE job_id = $1 ORDER BY id`;
    return (await this.database.query(select, [jobId])).map(toTurn);
  };

  unfinishedTurns: JobStore['unfinishedTurns'] = async () => {
    const select = `SELECT ${TURN_COLUMNS} FROM turns WHERE ${UNFINISHED} ORDER BY id`;
    return (await this.database.query(select)).map(toTurn);
  };

  endedAt: JobStore['endedAt'] = (jobId) => readEndedAt(this.database, jobId);

  claimTurn: JobStore['claimTurn'] = (turn) => this.change(turn.jobId, (change) => change.claimTurn(turn));

  record: JobStore['record'] = (claim, found) =>
    this.changeClaimed(claim, CLAIMED, async (change) => {
      await save(change, claim, found);
      if (found.phase !== undefined) {
        change.report();
      }
    });

  startPublishing: JobStore['startPublishing'] = (claim, summary, endedEarly) =>
    this.changeClaimed(claim, CLAIMED, async (change) => {
      await change.query(START_PUBLISHING, [claim.id, summary, toColumn(endedEarly)]);
      await change.enter(claim.id, 'publishing', endedEarly);
    });

  recordCommit: JobStore['recordCommit'] = (claim, commit, changes) =>
    this.changeClaimed(claim, CLAIMED, async (change) => {
      await change.query(SET_TURN_COMMIT, [claim.id, commit]);
      await change.reportUpdate(SET_JOB_COMMIT, [claim.jobId, commit, toColumn(changes)]);
    });

  saveWork: JobStore['saveWork'] = (turn, kept) =>
    this.change(turn.jobId, async (change) => {
      if (kept !== undefined) {
        await change.query(SET_TURN_COMMIT, [turn.id, kept.commit]);
        await change.query(SET_JOB_COMMIT, [turn.jobId, kept.commit, toColumn(kept.changes)]);
      }
      await change.reportUpdate('UPDATE jobs SET unsaved = NULL WHERE id = $1', [turn.jobId]);
    });

  finishTurn: JobStore['finishTurn'] = (claim, state, reason, found = {}) =>
    this.changeClaimed(claim, UNFINISHED, async (change) => {
      await save(change, claim, found);
      await change.finishTurn(claim, state, reason);
    });

  requeueTurn: JobStore['requeueTurn'] = (claim, how) =>
    this.changeClaimed(claim, UNFINISHED, async (change) => {
      await change.requeueTurn(claim, how);
      if (how.resumesAt !== undefined) {
        await this.enqueue(change, { id: claim.id, jobId: claim.jobId, resumesAt: how.resumesAt });
      }
    });

  addActivity: ActivityLogStore['addActivity'] = (claim, entries) =>
    this.changeClaimed(claim, CLAIMED, (change) => change.addActivity(claim.id, entries));

  activity: ActivityLogStore['activity'] = (jobId, after, limit) => readActivity(this.database, jobId, after, limit);

  dropActivity: ActivityLogStore['dropActivity'] = (archivedBefore) => dropActivity(this.database, archivedBefore);

  close: JobStore['close'] = () => this.database.close();

  /**
   * Does the work of a request and adds its turn, unless the project has reached its hourly limit. Requests of one kind
   * to one project wait for each other, so two of them never both take the last place within the limit.
   */
  private admit(
    { id: jobId, projectId }: Pick<Job, 'id' | 'projectId'>,
    { operation, prompt, perHour }: { operation: RequestKind; prompt: string; perHour: number },
    work: (change: JobChange, now: number, addTurn: () => Promise<number>) => Promise<number>,
  ): Promise<Admission> {
    const kind = `${operation} ${projectId}`;
    return this.database.transaction(async (transaction): Promise<Admission> => {
      // Statements that don't need each other's results are sent together, because others wait for the lock.
      const [, [row]] = await Promise.all([
        transaction.lock(kind),
        transaction.query(NTH_NEWEST, [projectId, operation, perHour - 1]),
      ]);
      const { at: now, nth } = row as { at: number; nth: number | null };
      if (nth !== null) {
        return { waitMs: nth + HOUR_MS - now };
      }
      const isFirst = operation === 'create';
      const addTurn = async (change: JobChange): Promise<Admission> => {
        const id = await work(change, now, async () => {
          const [turn] = await change.query(ADD_TURN, [jobId, projectId, operation, prompt, now]);
          return turn?.['id'] as number;
        });
        const [job] = await Promise.all([
          readJob(change, jobId),
          change.enter(id, 'queued'),
          this.enqueue(change, { id, jobId, isFirst }),
        ]);
        if (job === undefined) {
          throw new Error('the database didn’t save the job');
        }
        return { job };
      };
      return JobChange.locked(transaction, jobId, addTurn, isFirst);
    }, kind);
  }

  private change<T>(jobId: string, work: (change: JobChange) => Promise<T>): Promise<T> {
    return this.database.transaction((transaction) => JobChange.locked(transaction, jobId, work));
  }

  private changeClaimed<T>(claim: Claim, state: string, work: (change: JobChange) => Promise<T>): Promise<T> {
    return this.database.transaction((transaction) => JobChange.claimed(transaction, claim, state, work));
  }
}

/** Stores what a run has found out, in the tables that have it. */
async function save({ query }: Query, claim: Claim, found: RunRecord): Promise<void> {
  for (const [table, id] of [
    ['jobs', claim.jobId],
    ['turns', claim.id],
  ] as const) {
    const set = assignments(table, found);
    if (set !== undefined) {
      await query(`UPDATE ${table} SET ${set.list} WHERE id = $1`, [id, ...set.values]);
    }
  }
}

async function readJob({ query }: Query, id: string): Promise<JobWithTurns | undefined> {
  const [job] = toJobsWithTurns(await query(`${WITH_TURNS} WHERE jobs.id = $1 ORDER BY turns.id`, [id]));
  return job;
}

async function readEndedAt({ query }: Query, jobId: string): Promise<number | undefined> {
  const [row] = await query(ENDED_AT, [jobId]);
  return row?.['at'] as number | undefined;
}
