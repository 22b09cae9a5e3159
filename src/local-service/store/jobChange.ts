import type { ActivityEntry } from '../../protocol/activity';
import type { CodedText } from '../../protocol/codedText';
import { noteEntry, toEnglish } from '../codedText';
import { addActivity } from './activityTable';
import type { Query, Transaction } from './database';
import { type Claim, ClaimLost, type Requeue, type Turn, type TurnState } from './jobStore';
import { toColumn, toTurn, TURN_COLUMNS } from './tables';

export const UNFINISHED = "state IN ('queued', 'running', 'publishing')";

/** A turn that waits for the end of a usage limit. */
export const ON_HOLD = "(state = 'queued' AND coalesce(resumes_at, 0) > now_ms())";

/** The state of a turn whose claim someone holds. */
export const CLAIMED = "state IN ('running', 'publishing')";

export const NO_AGENT = 'agent_pid = NULL, agent_start_time = NULL';

const CLAIM_TURN = `
  UPDATE turns SET state = CASE state WHEN 'queued' THEN 'running' ELSE state END, attempt = attempt + 1,
    started_at = CASE state WHEN 'queued' THEN now_ms() ELSE started_at END, stop_requested = NULL, phase = NULL,
    ${NO_AGENT}
  WHERE id = $1 AND attempt = $2 AND state IN ('queued', 'publishing') RETURNING ${TURN_COLUMNS}`;

const FINISH_TURN = `UPDATE turns SET state = $2, reason = $3, ended_at = now_ms(), ${NO_AGENT} WHERE id = $1`;

/** Ends a turn that was interrupted instead of requeuing it if a newer one of its job has replaced it. */
const REQUEUED_STATE = `CASE WHEN state = 'publishing' THEN state
  WHEN EXISTS (SELECT 1 FROM turns AS newer WHERE newer.job_id = turns.job_id AND newer.id > turns.id) THEN 'cancelled'
  ELSE 'queued' END`;

const REQUEUE_TURN = `
  UPDATE turns SET state = ${REQUEUED_STATE}, ended_at = CASE ${REQUEUED_STATE} WHEN 'cancelled' THEN now_ms() END,
    uncounted_attempts = uncounted_attempts + CASE state WHEN 'queued' THEN 0 ELSE $2 END,
    resumes_at = coalesce($3, resumes_at), ${NO_AGENT}
  WHERE id = $1 RETURNING ${TURN_COLUMNS}`;

const CANCEL_QUEUED = `
  UPDATE turns SET state = 'cancelled', reason = $2, ended_at = now_ms() WHERE job_id = $1 AND state = 'queued'
  RETURNING id`;

/** A newer message does not replace the user's own request. */
const REQUEST_STOP = `
  UPDATE turns SET stop_requested = $2
  WHERE job_id = $1 AND ${CLAIMED} AND stop_requested IS DISTINCT FROM 'user' RETURNING id`;

/** A change to a job and its turns, in a transaction that holds the lock of the job. */
export class JobChange {
  readonly query: Query['query'];

  private constructor(
    private readonly transaction: Transaction,
    readonly jobId: string,
  ) {
    this.query = transaction.query;
  }

  /**
   * Locks the job first, so all changes to a job and its turns happen one after the other, and the ids in its activity
   * log have the same order.
   *
   * @param isNew nobody else knows the job yet, so it needs no lock
   */
  static async locked<T>(
    transaction: Transaction,
    jobId: string,
    work: (change: JobChange) => Promise<T>,
    isNew = false,
  ): Promise<T> {
    await (isNew ? undefined : transaction.lock(`job ${jobId}`));
    return work(new JobChange(transaction, jobId));
  }

  /** A change by the process that runs a turn. Throws ClaimLost unless the turn still meets the condition `state`. */
  static claimed<T>(
    transaction: Transaction,
    claim: Claim,
    state: string,
    work: (change: JobChange) => Promise<T>,
  ): Promise<T> {
    return JobChange.locked(transaction, claim.jobId, async (change) => {
      const held = `SELECT 1 FROM turns WHERE id = $1 AND attempt = $2 AND ${state}`;
      if ((await change.query(held, [claim.id, claim.attempt])).length === 0) {
        throw new ClaimLost(claim);
      }
      return work(change);
    });
  }

  /** Reports that the job is new, or that its state, review, or archived status has changed. */
  report(): void {
    this.transaction.notify('job_changed', this.jobId);
  }

  /** Runs an update, and reports it if it has changed anything. Returns whether it has. */
  async reportUpdate(text: string, values: readonly unknown[]): Promise<boolean> {
    const hasChanged = (await this.query(`${text} RETURNING id`, values)).length > 0;
    if (hasChanged) {
      this.report();
    }
    return hasChanged;
  }

  async addActivity(turnId: number, entries: readonly ActivityEntry[]): Promise<void> {
    if (entries.length > 0) {
      await addActivity(this, this.jobId, turnId, entries);
      this.transaction.notify('activity_grown', this.jobId);
    }
  }

  /** Adds the new state of a turn to the activity log, and reports it. */
  async enter(turnId: number, state: TurnState, reason?: CodedText): Promise<void> {
    const coded = reason && { reason: toEnglish(reason), coded: reason };
    await this.addActivity(turnId, [{ kind: 'state', state, ...coded }]);
    this.report();
  }

  async claimTurn({ id, attempt }: Claim): Promise<Turn | undefined> {
    const [row] = await this.query(CLAIM_TURN, [id, attempt]);
    const turn = row && toTurn(row);
    if (turn?.state === 'running') {
      await this.enter(id, 'running');
    }
    return turn;
  }

  async finishTurn({ id }: Claim, state: 'done' | 'failed' | 'cancelled', reason?: CodedText): Promise<void> {
    await this.query(FINISH_TURN, [id, state, toColumn(reason)]);
    await this.enter(id, state, reason);
  }

  async requeueTurn({ id }: Claim, { isCounted, note, resumesAt }: Requeue): Promise<void> {
    const [row] = await this.query(REQUEUE_TURN, [id, isCounted ? 0 : 1, resumesAt ?? null]);
    const turn = row && toTurn(row);
    if (turn?.state === 'cancelled') {
      await this.enter(id, 'cancelled');
    } else if (turn !== undefined && turn.startedAt !== null) {
      await this.addActivity(id, [noteEntry(note)]);
      if (resumesAt !== undefined) {
        this.report();
      }
    }
  }

  /** Cancels the queued turns, and asks the process that runs one to stop it. */
  async stop(by: 'message' | 'user', reason?: CodedText): Promise<void> {
    for (const { id } of await this.query(CANCEL_QUEUED, [this.jobId, toColumn(reason)])) {
      await this.enter(id as number, 'cancelled', reason);
    }
    if ((await this.query(REQUEST_STOP, [this.jobId, by])).length > 0) {
      this.report();
    }
  }
}
