import { Emitter } from '../../base/disposable';
import type { ActivityLogStore, Claim, JobStore } from '../../local-service/store/jobStore';
import { JOB_COLUMNS, toJob, toTurn, TURN_COLUMNS, UNFINISHED } from '../../local-service/store/rows';
import type { Database, Row } from './database';
import { ACTIVITY_GROWN, JOB_CHANGED, JobChange } from './jobChange';
import { jobWithTurns, SELECT_WITH_TURNS, toJobWithTurns } from './jobRows';
import { prepareTables } from './tables';
import { dropActivity, readActivity } from './postgresActivityLog';
import { ProjectTable } from './projectTable';
import { cancelQueued, type Enqueue, PostgresRequests } from './postgresRequests';
import { PostgresRuns, type StopReason } from './postgresRuns';

/** A page starts after the last job of the previous page. */
const LIST_JOBS = `${SELECT_WITH_TURNS}
  WHERE project_id = $1 AND ($2::text IS NULL
    OR (created_at, id) < (SELECT created_at, id FROM jobs WHERE project_id = $1 AND id = $2))
  ORDER BY created_at DESC, id DESC LIMIT $3`;

const ENDED_AT = `
  SELECT max(coalesce(ended_at, created_at)) AS at, bool_or(${UNFINISHED}) AS is_open FROM turns WHERE job_id = $1`;

const REOPEN_MERGED = `UPDATE jobs SET review = NULL WHERE id = $1 AND review = 'merged' RETURNING id`;
const SET_REVIEW = `UPDATE jobs SET review = $2 WHERE id = $1 AND review IS DISTINCT FROM 'merged' RETURNING id`;

export interface PostgresStoreOptions {
  enqueue: Enqueue;
  /** The name of the worker that claims turns with this store; none for a process that serves requests. */
  worker?: string;
  /** Milliseconds since the epoch. By default the database's clock counts, because those of several machines differ. */
  now?: () => number;
}

/** The store in PostgreSQL, for any number of processes. `JobChange` makes changes to one job happen one at a time. */
export class PostgresJobStore implements JobStore, ActivityLogStore {
  private readonly changed = new Emitter<string | undefined>(() => undefined);
  private readonly grown = new Emitter<string | undefined>(() => undefined);
  private readonly requests: PostgresRequests;
  private readonly runs: PostgresRuns;
  private readonly projects: ProjectTable;

  readonly onJob = this.changed.event;
  readonly onStory = this.grown.event;

  private constructor(
    private readonly database: Database,
    private readonly options: PostgresStoreOptions,
  ) {
    this.requests = new PostgresRequests(database, options.enqueue, () => this.now());
    this.projects = new ProjectTable(database);
    this.runs = new PostgresRuns(database, options.worker ?? null, () => this.now());
  }

  /** Creates the tables if needed. Throws DatabaseTooNew. Closing the store closes the database. */
  static async open(database: Database, options: PostgresStoreOptions): Promise<PostgresJobStore> {
    await prepareTables(database);
    const store = new PostgresJobStore(database, options);
    const emitters: Record<string, Emitter<string | undefined>> = {
      [JOB_CHANGED]: store.changed,
      [ACTIVITY_GROWN]: store.grown,
    };
    await database.listen(
      Object.keys(emitters),
      (channel, jobId) => emitters[channel]?.fire(jobId),
      () => Object.values(emitters).forEach((emitter) => emitter.fire(undefined)),
    );
    return store;
  }

  putProject: JobStore['putProject'] = (project) => this.projects.put(project);
  project: JobStore['project'] = (id) => this.projects.get(id);

  createJob: JobStore['createJob'] = (...all) => this.requests.createJob(...all);
  addFollowUp: JobStore['addFollowUp'] = (...all) => this.requests.addFollowUp(...all);

  cancelQueued: JobStore['cancelQueued'] = (jobId, reason) =>
    this.change(jobId, async (change) => {
      change.isReported = await cancelQueued(change, reason);
    });

  archiveJob: JobStore['archiveJob'] = async (jobId) => {
    let isArchived = false;
    await this.change(jobId, async (change) => {
      isArchived = endedAt(await change.query(ENDED_AT, [jobId])) !== undefined;
      change.isReported = isArchived;
      if (isArchived) {
        const archive = 'UPDATE jobs SET archived_at = coalesce(archived_at, $2, now_ms()) WHERE id = $1';
        await change.query(archive, [jobId, change.now]);
      }
    });
    return isArchived;
  };

  setReview: JobStore['setReview'] = async (jobId, review) => {
    let isSet = false;
    await this.change(jobId, async (change) => {
      isSet = (await change.query(SET_REVIEW, [jobId, review])).length > 0;
      change.isReported = isSet;
    });
    return isSet;
  };

  reopenMerged: JobStore['reopenMerged'] = (jobId) =>
    this.change(jobId, async (change) => {
      change.isReported = (await change.query(REOPEN_MERGED, [jobId])).length > 0;
    });

  job: JobStore['job'] = async (id) => toJob(await this.one(`SELECT ${JOB_COLUMNS} FROM jobs WHERE id = $1`, [id]));

  jobWithTurns: JobStore['jobWithTurns'] = (id) => jobWithTurns(this.database, id);

  jobs: JobStore['jobs'] = async (projectId, limit, before) => {
    const rows = await this.database.query(LIST_JOBS, [projectId, before ?? null, limit]);
    return rows.map(toJobWithTurns).filter((job) => job !== undefined);
  };

  turns: JobStore['turns'] = async (jobId) => {
    const rows = await this.database.query(`SELECT ${TURN_COLUMNS} FROM turns WHERE job_id = $1 ORDER BY id`, [jobId]);
    return rows.map(toTurn);
  };

  unfinishedTurns: JobStore['unfinishedTurns'] = async () => {
    const rows = await this.database.query(`SELECT ${TURN_COLUMNS} FROM turns WHERE ${UNFINISHED} ORDER BY id`);
    return rows.map(toTurn);
  };

  endedAt: JobStore['endedAt'] = async (jobId) => endedAt(await this.database.query(ENDED_AT, [jobId]));

  claimTurn: JobStore['claimTurn'] = (turn) => this.runs.claimTurn(turn);
  record: JobStore['record'] = (claim, found) => this.runs.record(claim, found);
  startPublishing: JobStore['startPublishing'] = (...all) => this.runs.startPublishing(...all);
  recordCommit: JobStore['recordCommit'] = (...all) => this.runs.recordCommit(...all);
  finishTurn: JobStore['finishTurn'] = (...all) => this.runs.finishTurn(...all);
  requeueTurn: JobStore['requeueTurn'] = (claim, how) => this.runs.requeueTurn(claim, how);
  addStory: ActivityLogStore['addStory'] = (claim, entries) => this.runs.addStory(claim, entries);

  /** Stops the job for the user. The process that runs one of its turns is notified. */
  requestStop(jobId: string): Promise<void> {
    return this.requests.requestStop(jobId);
  }

  /** Returns which of these claims have to be given up, and why. */
  checkClaims(claims: readonly Claim[]): Promise<Map<number, StopReason>> {
    return this.runs.checkClaims(claims);
  }

  story: ActivityLogStore['story'] = (jobId, after, limit) => readActivity(this.database, jobId, after, limit);

  dropStories: ActivityLogStore['dropStories'] = (archivedBefore) => dropActivity(this.database, archivedBefore);

  close(): Promise<void> {
    return this.database.close();
  }

  private now(): number | null {
    return this.options.now?.() ?? null;
  }

  private async one(text: string, values: readonly unknown[]): Promise<Row | undefined> {
    return (await this.database.query(text, values))[0];
  }

  private change(jobId: string, work: (change: JobChange) => Promise<void>): Promise<void> {
    return this.database.transaction((query) => JobChange.of(query, jobId, this.now(), work));
  }
}

function endedAt([row]: Row[]): number | undefined {
  return row?.['is_open'] === false ? (row['at'] as number) : undefined;
}
