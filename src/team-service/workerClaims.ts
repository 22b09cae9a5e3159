import { noteEntry } from '../local-service/codedText';
import { USER_REASON } from '../local-service/jobs/jobStatus';
import { planRecovery } from '../local-service/jobs/recovery';
import type { Database } from '../local-service/store/database';
import { CLAIMED, JobChange, UNFINISHED } from '../local-service/store/jobChange';
import { type Claim, ClaimLost, type Turn } from '../local-service/store/jobStore';
import { toTurn, TURN_COLUMNS } from '../local-service/store/rows';
import { coded } from '../protocol/codedText';
import { type HeldItem, TURN_QUEUE } from './turnQueue';

/** Locks the item, so that the queue can't take it away before the transaction ends. */
const HOLDS = `
  SELECT 1 FROM pgboss.job WHERE name = '${TURN_QUEUE}' AND id = $1 AND state = 'active' AND retry_count = $2 FOR SHARE`;

const OWNER = `
  SELECT jobs.worker, coalesce(workers.seen_at < now_ms() - $2::bigint, true) AS gone
  FROM jobs LEFT JOIN workers ON workers.name = jobs.worker WHERE jobs.id = $1`;

const UNFINISHED_TURNS = `SELECT ${TURN_COLUMNS} FROM turns WHERE job_id = $1 AND ${UNFINISHED} ORDER BY id`;

/** Turns whose worker crashed or shut down before it learned that the user had stopped them. */
const STOPPED_BY_USER = `SELECT ${TURN_COLUMNS} FROM turns WHERE job_id = $1 AND ${UNFINISHED} AND stop_requested = 'user'`;

const TAKE_OVER = `
  UPDATE jobs SET worker = $2, session = NULL, session_agent = NULL, session_turn = NULL WHERE id = $1`;

/** What was to be published is in the folders of the worker that is gone, so the turn has to run again. */
const WORK_AGAIN = `
  UPDATE turns SET state = 'running', summary = NULL, reason = NULL WHERE job_id = $1 AND state = 'publishing'`;

const LAST_UNFINISHED = `SELECT id FROM turns WHERE job_id = $1 AND ${UNFINISHED} ORDER BY id DESC LIMIT 1`;

const SET_PUBLISHED = `
  UPDATE jobs SET published_commit = $2, changes = CASE WHEN $2::text IS NULL THEN NULL ELSE changes END
  WHERE id = $1`;

const CHECK = `
  SELECT claim.id, CASE WHEN ${CLAIMED} THEN stop_requested ELSE 'lost' END AS reason
  FROM unnest($1::bigint[], $2::integer[]) AS claim (id, attempt)
  LEFT JOIN turns ON turns.id = claim.id AND turns.attempt = claim.attempt`;

/**
 * Why the process that runs a turn has to stop its agent: a newer message, the user, or another process that now runs
 * it.
 */
export type StopReason = 'message' | 'user' | 'lost';

/** What a worker that has an item of a job does next. */
export type NextStep =
  | { turn: Turn }
  /** Another worker has the job's clone and session. */
  | { owner: string; isGone: boolean }
  /** No turn of the job has to run. */
  | 'none'
  /** The queue has given the item to someone else. */
  | 'lost';

/**
 * Claims turns for one worker. Only the worker that has a job's item may do that: the check and the claim are one
 * transaction, because a worker may be suspended between any two statements.
 */
export class WorkerClaims {
  constructor(
    private readonly database: Database,
    private readonly worker: string,
    /** A worker counts as gone this long after it was last seen, in milliseconds. */
    private readonly goneMs: number,
  ) {}

  /** Settles what an earlier run has left unfinished, and claims the oldest turn that has to run. */
  async next(item: HeldItem): Promise<NextStep> {
    let step: NextStep = 'lost';
    await this.withItem(item, async (change) => {
      const [job] = await change.query(OWNER, [item.jobId, this.goneMs]);
      const owner = (job?.['worker'] ?? null) as string | null;
      for (const row of await change.query(STOPPED_BY_USER, [item.jobId])) {
        await change.finish(toTurn(row), 'cancelled', USER_REASON);
      }
      const turns = (await change.query(UNFINISHED_TURNS, [item.jobId])).map(toTurn);
      if (turns.length === 0) {
        step = 'none';
      } else if (owner !== null && owner !== this.worker) {
        step = { owner, isGone: job?.['gone'] === true };
      } else {
        const turn = await this.settle(change, turns);
        step = turn === undefined ? 'none' : { turn };
      }
    });
    return step;
  }

  /** Makes this worker the one that has the job. Its folder of the job must be gone. Returns false if it lost the item. */
  async takeOver(item: HeldItem): Promise<boolean> {
    let isTaken = false;
    await this.withItem(item, async (change) => {
      await change.query(TAKE_OVER, [item.jobId, this.worker]);
      await change.query(WORK_AGAIN, [item.jobId]);
      const [turn] = await change.query(LAST_UNFINISHED, [item.jobId]);
      if (turn !== undefined) {
        await change.addActivity(turn['id'] as number, [noteEntry(coded('workerGone'))]);
      }
      isTaken = true;
    });
    return isTaken;
  }

  /** Records the job's newest commit that still exists, if a later one was lost with its worker. Throws ClaimLost. */
  async setPublished(claim: Claim, commit: string | null): Promise<void> {
    await this.database.transaction((transaction) =>
      JobChange.ofClaim(transaction, claim, CLAIMED, (change) =>
        change.reportUpdate(SET_PUBLISHED, [claim.jobId, commit]),
      ),
    );
  }

  /** Returns which of these claims have to be given up, and why. */
  async check(claims: readonly Claim[]): Promise<Map<number, StopReason>> {
    const values = [claims.map(({ id }) => id), claims.map(({ attempt }) => attempt)];
    const rows = await this.database.query(CHECK, values);
    return new Map(
      rows.flatMap(({ id, reason }) => (reason === null ? [] : [[id as number, reason as StopReason] as const])),
    );
  }

  private async settle(change: JobChange, turns: readonly Turn[]): Promise<Turn | undefined> {
    for (const [index, action] of planRecovery(turns).entries()) {
      const turn = turns[index];
      if (turn === undefined) {
        continue;
      }
      if (action === 'replaced') {
        await change.finish(turn, 'cancelled');
      } else if (action === 'fail') {
        await change.finish(turn, 'failed', coded('workersCrashed'));
      } else {
        if (action === 'again') {
          await change.requeue(turn, { isCounted: true, note: coded('workerCrashed') });
        }
        const claimed = await change.claim(turn);
        if (claimed === undefined) {
          throw new ClaimLost(turn);
        }
        await change.query('UPDATE jobs SET worker = $2 WHERE id = $1', [change.jobId, this.worker]);
        return claimed;
      }
    }
    return undefined;
  }

  private withItem(item: HeldItem, work: (change: JobChange) => Promise<void>): Promise<void> {
    return this.database.transaction((transaction) =>
      JobChange.of(transaction, item.jobId, async (change) => {
        if ((await change.query(HOLDS, [item.id, item.retryCount])).length > 0) {
          await work(change);
        }
      }),
    );
  }
}
