import { randomUUID } from 'node:crypto';
import { noteEntry } from '../local-service/codedText';
import { applyRecovery, planRecovery, type RecoveryTexts } from '../local-service/jobs/recovery';
import type { Logger } from '../base/logger';
import { UsageError } from '../local-service/options';
import type { Database } from '../local-service/store/database';
import { CLAIMED, JobChange, ON_HOLD, UNFINISHED } from '../local-service/store/jobChange';
import { type Claim, ClaimLost, type Turn } from '../local-service/store/jobStore';
import { toTurn, TURN_COLUMNS } from '../local-service/store/tables';
import { TurnFailure } from '../local-service/turnFailure';
import { coded } from '../protocol/codedText';
import { type HeldItem, TURN_QUEUE, type TurnQueue } from './turnQueue';

const ENTER = `
  INSERT INTO workers (name, instance, seen_at, running) VALUES ($1, $2, now_ms(), 0)
  ON CONFLICT (name) DO UPDATE SET instance = $2, seen_at = now_ms(), running = 0`;

const SEEN = 'UPDATE workers SET seen_at = now_ms(), running = $3 WHERE name = $1 AND instance = $2 RETURNING name';

/** Makes this worker count as gone sooner. A heartbeat that arrives later changes nothing. */
const LEAVE = `
  UPDATE workers SET seen_at = now_ms() - $3::bigint, running = 0, instance = '' WHERE name = $1 AND instance = $2`;

/** The workers that keep their jobs, without this one. */
const OTHERS = 'SELECT name FROM workers WHERE name <> $1 AND seen_at >= now_ms() - $2::bigint';

/** Locks the item, so that the queue can't take it away before the transaction ends. */
const HOLDS = `
  SELECT 1 FROM pgboss.job WHERE name = '${TURN_QUEUE}' AND id = $1 AND state = 'active' AND retry_count = $2 FOR SHARE`;

const OWNER = `
  SELECT jobs.worker, coalesce(workers.seen_at < now_ms() - $2::bigint, true) AS gone
  FROM jobs LEFT JOIN workers ON workers.name = jobs.worker WHERE jobs.id = $1`;

/** Another item of the queue starts a turn that is on hold. */
const IS_ON_HOLD = `SELECT 1 FROM turns WHERE id = $1 AND ${ON_HOLD}`;

const UNFINISHED_TURNS = `SELECT ${TURN_COLUMNS} FROM turns WHERE job_id = $1 AND ${UNFINISHED} ORDER BY id`;

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

const TEXTS: RecoveryTexts = { again: coded('workerCrashed'), fail: coded('workersCrashed') };

/** Timings in milliseconds. */
export interface ClaimTimings {
  /** Others take a worker's jobs this long after it was last seen. */
  goneMs: number;
  /** The same for a worker that was shut down normally: long enough for a restart. */
  handOverMs: number;
}

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
 * What one worker may run. The queue hands out items, which say that a job has a turn to run; only the worker that has a
 * job's item may claim its turns. The check and the claim are one transaction, because a worker may be suspended between
 * any two statements.
 */
export class WorkerClaims {
  private readonly instance = randomUUID();
  /** Other workers, whose items it leaves alone. */
  private others: string[] = [];

  constructor(
    private readonly database: Database,
    private readonly queue: TurnQueue,
    private readonly worker: string,
    private readonly timings: ClaimTimings,
    private readonly log: Pick<Logger, 'info'>,
  ) {}

  async enter(): Promise<void> {
    await this.database.query(ENTER, [this.worker, this.instance]);
  }

  /**
   * Tells the others that the worker is alive and works on these items. Returns the ids of those that it still has.
   * Throws if another process has the worker's name, with a copy of its folder: the folder itself is locked.
   */
  async beat(items: readonly HeldItem[]): Promise<Set<string>> {
    const [seen, held, others] = await Promise.all([
      this.database.query(SEEN, [this.worker, this.instance, items.length]),
      this.queue.touch(items),
      this.database.query(OTHERS, [this.worker, this.timings.goneMs]),
    ]);
    if (seen.length === 0) {
      throw new UsageError(`Another process works as “${this.worker}”. Give each worker its own data folder.`);
    }
    this.others = others.map(({ name }) => name as string);
    return held;
  }

  /** Called when its agents have ended. Unless it comes back in time, others take its jobs. */
  async leave(): Promise<void> {
    const { goneMs, handOverMs } = this.timings;
    await this.database.query(LEAVE, [this.worker, this.instance, goneMs - handOverMs]);
  }

  /** Takes up to `limit` items from the queue. */
  fetch(limit: number): Promise<HeldItem[]> {
    return this.queue.fetch(limit, this.others);
  }

  /** Removes an item from the queue, whatever the outcome of its turn. */
  complete(item: HeldItem): Promise<void> {
    return this.queue.complete(item);
  }

  /** Returns an item to the queue. The worker's agents have ended. */
  giveBack(item: HeldItem): Promise<void> {
    return this.queue.giveBack(item);
  }

  /** Replaces an item with one for the worker that has the job. */
  handOver(item: HeldItem): Promise<void> {
    return this.database.transaction((transaction) => this.queue.handOver(transaction, item));
  }

  /** Settles what an earlier run has left unfinished, and claims the oldest turn that has to run. */
  async next(item: HeldItem): Promise<NextStep> {
    let step: NextStep = 'lost';
    let failed: Turn[] = [];
    await this.withItem(item, async (change) => {
      failed = [];
      const [job] = await change.query(OWNER, [item.jobId, this.timings.goneMs]);
      const owner = (job?.['worker'] ?? null) as string | null;
      const turns = (await change.query(UNFINISHED_TURNS, [item.jobId])).map(toTurn);
      if (turns.length > 0 && owner !== null && owner !== this.worker) {
        step = { owner, isGone: job?.['gone'] === true };
      } else {
        const turn = await this.settle(change, turns, failed);
        step = turn === undefined ? 'none' : { turn };
      }
    });
    const why = new TurnFailure(TEXTS.fail).message;
    failed.forEach(({ jobId, id }) => this.log.info(`job ${jobId}, run ${id}: ${why}`));
    return step;
  }

  /** Makes this worker the one that has the job. Its folder of the job must be gone. Does nothing if it lost the item. */
  takeOver(item: HeldItem): Promise<void> {
    return this.withItem(item, async (change) => {
      await change.query(TAKE_OVER, [item.jobId, this.worker]);
      await change.query(WORK_AGAIN, [item.jobId]);
      const [turn] = await change.query(LAST_UNFINISHED, [item.jobId]);
      if (turn !== undefined) {
        await change.addActivity(turn['id'] as number, [noteEntry(coded('workerGone'))]);
      }
    });
  }

  /** Returns which of these claims have to be given up, and why. */
  async check(claims: readonly Claim[]): Promise<Map<number, StopReason>> {
    const values = [claims.map(({ id }) => id), claims.map(({ attempt }) => attempt)];
    const found = new Map<number, StopReason>();
    for (const { id, reason } of claims.length === 0 ? [] : await this.database.query(CHECK, values)) {
      if (reason !== null) {
        found.set(id as number, reason as StopReason);
      }
    }
    return found;
  }

  /** Records the job's newest commit that still exists, if a later one was lost with its worker. Throws ClaimLost. */
  async setPublished(claim: Claim, commit: string | null): Promise<void> {
    await this.database.transaction((transaction) =>
      JobChange.claimed(transaction, claim, CLAIMED, (change) =>
        change.reportUpdate(SET_PUBLISHED, [claim.jobId, commit]),
      ),
    );
  }

  /** Whether another worker has the clone and the session of a job. */
  async isElsewhere(jobId: string): Promise<boolean> {
    const owner = 'SELECT 1 FROM jobs WHERE id = $1 AND worker <> $2';
    return (await this.database.query(owner, [jobId, this.worker])).length > 0;
  }

  /** @param failed gets the turns that have failed because their workers crashed */
  private async settle(change: JobChange, turns: readonly Turn[], failed: Turn[]): Promise<Turn | undefined> {
    const plan = planRecovery(turns);
    for (const [index, turn] of turns.entries()) {
      const isOnHold = plan[index] === 'wait' && (await change.query(IS_ON_HOLD, [turn.id])).length > 0;
      if (!isOnHold && (await applyRecovery(change, turn, plan[index] ?? 'wait', TEXTS))) {
        const claimed = await change.claimTurn(turn);
        if (claimed === undefined) {
          throw new ClaimLost(turn);
        }
        await change.query('UPDATE jobs SET worker = $2 WHERE id = $1', [change.jobId, this.worker]);
        return claimed;
      }
      if (plan[index] === 'fail') {
        failed.push(turn);
      }
    }
    return undefined;
  }

  private withItem(item: HeldItem, work: (change: JobChange) => Promise<void>): Promise<void> {
    return this.database.transaction((transaction) =>
      JobChange.locked(transaction, item.jobId, async (change) => {
        if ((await change.query(HOLDS, [item.id, item.retryCount])).length > 0) {
          await work(change);
        }
      }),
    );
  }
}
