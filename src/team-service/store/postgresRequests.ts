import type { Admission, Job, JobStore, NewJob, RequestKind } from '../../local-service/store/jobStore';
import { USER_REASON } from '../../local-service/jobs/jobOperations';
import { HOUR_MS, limitWaitMs } from '../../local-service/store/hourlyLimit';
import { stateEntry, toColumn } from '../../local-service/store/rows';
import type { CodedText } from '../../protocol/codedText';
import type { Database, Query } from './database';
import { JobChange } from './jobChange';
import { jobWithTurns } from './jobRows';
import { requestStop } from './postgresRuns';

/** Reads only the requests that can count: otherwise, a high limit would read all that there ever were. */
const NTH_NEWEST = `
  SELECT at, (SELECT created_at FROM turns
    WHERE project_id = $1 AND operation = $2 AND created_at > at - ${HOUR_MS} AND created_at <= at
    ORDER BY created_at DESC LIMIT 1 OFFSET $3) AS nth
  FROM (SELECT coalesce($4, now_ms()) AS at) AS present`;

/** Looks up each name separately: PostgreSQL might otherwise read the names of all jobs. */
const ADD_JOB = `
  INSERT INTO jobs (id, project_id, branch, model, repository, base_commit, base_branch, created_at)
  VALUES ($1, $2, (
    SELECT name FROM unnest($3::text[]) WITH ORDINALITY AS names (name, place)
    WHERE (SELECT count(*) FROM jobs WHERE branch = name) = 0 ORDER BY place LIMIT 1
  ), $4, $5, $6, $7, $8)`;

const ADD_TURN = `
  INSERT INTO turns (job_id, project_id, operation, prompt, state, created_at) VALUES ($1, $2, $3, $4, 'queued', $5)
  RETURNING id`;

const CANCEL_QUEUED = `
  UPDATE turns SET state = 'cancelled', reason = $2, ended_at = coalesce($3, now_ms())
  WHERE job_id = $1 AND state = 'queued' RETURNING id`;

/**
 * Puts a new turn into the queue, in the transaction that adds it. The worker is the one that has the job's clone and
 * session; null if none does.
 */
export type Enqueue = (query: Query, turn: { id: number; jobId: string; worker: string | null }) => Promise<void>;

/** What clients ask for. */
export class PostgresRequests {
  constructor(
    private readonly database: Database,
    private readonly enqueue: Enqueue,
    private readonly now: () => number | null,
  ) {}

  createJob: JobStore['createJob'] = (job, prompt, perHour) =>
    this.admit(job, 'create', perHour, (query, now) =>
      JobChange.add(query, job.id, this.now(), async (change) => {
        await addJob(change, job, now);
        await this.addTurn(change, job, { operation: 'create', prompt, now });
      }),
    );

  addFollowUp: JobStore['addFollowUp'] = async (job, prompt, perHour) => {
    const own = 'SELECT 1 FROM jobs WHERE id = $1 AND project_id = $2';
    if ((await this.database.query(own, [job.id, job.projectId])).length === 0) {
      return undefined;
    }
    return this.admit(job, 'message', perHour, (query, now) =>
      JobChange.of(query, job.id, this.now(), async (change) => {
        await cancelQueued(change);
        await requestStop(change, 'message');
        await change.query('UPDATE jobs SET archived_at = NULL, review = NULL WHERE id = $1', [job.id]);
        await this.addTurn(change, job, { operation: 'message', prompt, now });
      }),
    );
  };

  /**
   * Stops a job for the user: asks the process that runs a turn of it, and cancels queued ones. Both in one
   * transaction, so that no turn is claimed in between.
   */
  requestStop(jobId: string): Promise<void> {
    return this.database.transaction((query) =>
      JobChange.of(query, jobId, this.now(), async (change) => {
        await requestStop(change, 'user');
        await cancelQueued(change, USER_REASON);
      }),
    );
  }

  /**
   * Does the work of a request in a transaction, unless the project has reached its hourly limit. Requests of one kind
   * to one project wait for each other, so two of them never both take the last place within the limit.
   */
  private admit(
    { id, projectId }: Pick<Job, 'id' | 'projectId'>,
    operation: RequestKind,
    perHour: number,
    work: (query: Query, now: number) => Promise<void>,
  ): Promise<Admission> {
    return this.database.transaction(async (query): Promise<Admission> => {
      await query.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${operation} ${projectId}`]);
      const [row] = await query.query(NTH_NEWEST, [projectId, operation, perHour - 1, this.now()]);
      const { at, nth } = row as { at: number; nth: number | null };
      const waitMs = limitWaitMs(nth ?? undefined, at);
      if (waitMs > 0) {
        return { waitMs };
      }
      await work(query, at);
      const job = await jobWithTurns(query, id);
      if (job === undefined) {
        throw new Error('the database didn’t save the job');
      }
      return { job };
    });
  }

  private async addTurn(
    change: JobChange,
    { id: jobId, projectId }: Pick<Job, 'id' | 'projectId'>,
    { operation, prompt, now }: { operation: RequestKind; prompt: string; now: number },
  ): Promise<void> {
    const [row] = await change.query(ADD_TURN, [jobId, projectId, operation, prompt, now]);
    const id = row?.['id'] as number;
    await change.addEntries(id, [stateEntry('queued')]);
    const [job] = await change.query('SELECT worker FROM jobs WHERE id = $1', [jobId]);
    await this.enqueue(change, { id, jobId, worker: job?.['worker'] as string | null });
  }
}

async function addJob({ query }: Query, job: NewJob, now: number): Promise<void> {
  const { id, projectId, branches, model, repository, baseCommit, baseBranch } = job;
  const names = [...branches, `docs-agent/${id}`];
  await query(ADD_JOB, [id, projectId, names, model, repository, baseCommit, baseBranch, now]);
}

/** Returns whether there were any. */
export async function cancelQueued(change: JobChange, reason?: CodedText): Promise<boolean> {
  const rows = await change.query(CANCEL_QUEUED, [change.jobId, toColumn(reason), change.now]);
  for (const { id } of rows) {
    await change.addEntries(id as number, [stateEntry('cancelled', reason)]);
  }
  return rows.length > 0;
}
