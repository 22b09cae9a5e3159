import type { Claim, JobStore, Turn, TurnState } from '../../local-service/store/jobStore';
import {
  CLAIMED,
  changesOf,
  REQUEUED_STATE,
  requeueEntries,
  stateEntry,
  toColumn,
  toTurn,
  TURN_COLUMNS,
  UNFINISHED,
} from '../../local-service/store/rows';
import type { ActivityEntry } from '../../protocol/activity';
import type { CodedText } from '../../protocol/codedText';
import type { Database } from './database';
import { JobChange } from './jobChange';

const NO_AGENT = 'agent_pid = NULL, agent_start_time = NULL';

const CLAIM_TURN = `
  UPDATE turns SET state = CASE state WHEN 'queued' THEN 'running' ELSE state END, attempt = attempt + 1,
    started_at = CASE state WHEN 'queued' THEN coalesce($3, now_ms()) ELSE started_at END, stop_requested = NULL, ${NO_AGENT}
  WHERE id = $1 AND attempt = $2 AND state IN ('queued', 'publishing') RETURNING ${TURN_COLUMNS}`;

const START_PUBLISHING = `
  UPDATE turns SET state = 'publishing', summary = $2, reason = $3, ${NO_AGENT} WHERE id = $1`;

const FINISH_TURN = `
  UPDATE turns SET state = $2, reason = $3, ended_at = coalesce($4, now_ms()), ${NO_AGENT} WHERE id = $1`;

const REQUEUE_TURN = `
  UPDATE turns SET state = ${REQUEUED_STATE},
    ended_at = CASE ${REQUEUED_STATE} WHEN 'cancelled' THEN coalesce($3, now_ms()) END,
    free_attempts = free_attempts + CASE WHEN $2 AND state <> 'queued' THEN 1 ELSE 0 END, ${NO_AGENT}
  WHERE id = $1 RETURNING ${TURN_COLUMNS}`;

const CHECK_CLAIMS = `
  SELECT claim.id, CASE WHEN ${CLAIMED} THEN stop_requested ELSE 'lost' END AS reason
  FROM unnest($1::bigint[], $2::integer[]) AS claim (id, attempt)
  LEFT JOIN turns ON turns.id = claim.id AND turns.attempt = claim.attempt`;

const REQUEST_STOP = `
  UPDATE turns SET stop_requested = $2 WHERE job_id = $1 AND ${CLAIMED} AND stop_requested IS DISTINCT FROM 'user'`;

/**
 * Why the process that runs a turn has to stop its agent: a newer message, the user, or another process that now runs
 * it.
 */
export type StopReason = 'message' | 'user' | 'lost';

type Runs = Pick<JobStore, 'claimTurn' | 'record' | 'startPublishing' | 'recordCommit' | 'finishTurn' | 'requeueTurn'>;

/** What the process that runs a turn writes about it, and what it needs to know. */
export class PostgresRuns implements Runs {
  /** @param worker the name of the worker that claims turns */
  constructor(
    private readonly database: Database,
    private readonly worker: string | null,
    private readonly now: () => number | null,
  ) {}

  async claimTurn(turn: Claim): Promise<Turn | undefined> {
    let claimed: Turn | undefined;
    await this.database.transaction((query) =>
      JobChange.of(query, turn.jobId, this.now(), async (change) => {
        claimed = await claimTurn(change, turn, this.worker);
        change.isReported = claimed?.state === 'running';
      }),
    );
    return claimed;
  }

  record: Runs['record'] = (claim, found) =>
    this.change(claim, CLAIMED, async (change) => {
      change.isReported = false;
      for (const [table, id] of [
        ['jobs', claim.jobId],
        ['turns', claim.id],
      ] as const) {
        const { columns, values } = changesOf(table, found);
        if (columns.length > 0) {
          const settings = columns.map((column, index) => `${column} = $${index + 2}`).join(', ');
          await change.query(`UPDATE ${table} SET ${settings} WHERE id = $1`, [id, ...values]);
        }
      }
    });

  startPublishing: Runs['startPublishing'] = (claim, summary, endedEarly) =>
    this.change(claim, CLAIMED, async (change) => {
      await change.query(START_PUBLISHING, [claim.id, summary, toColumn(endedEarly)]);
      await change.addEntries(claim.id, [stateEntry('publishing', endedEarly)]);
    });

  recordCommit: Runs['recordCommit'] = (claim, commit, changes) =>
    this.change(claim, CLAIMED, async (change) => {
      await change.query('UPDATE turns SET commit_id = $2 WHERE id = $1', [claim.id, commit]);
      const job = 'UPDATE jobs SET published_commit = $2, changes = $3, review = NULL WHERE id = $1';
      await change.query(job, [claim.jobId, commit, toColumn(changes)]);
    });

  finishTurn: Runs['finishTurn'] = (claim, state, reason) =>
    this.change(claim, UNFINISHED, (change) => finishTurn(change, claim, state, reason));

  requeueTurn: Runs['requeueTurn'] = (claim, how) =>
    this.change(claim, UNFINISHED, async (change) => {
      change.isReported = (await requeueTurn(change, claim, how)) === 'cancelled';
    });

  addStory(claim: Claim, entries: readonly ActivityEntry[]): Promise<void> {
    return this.change(claim, CLAIMED, async (change) => {
      change.isReported = false;
      await change.addEntries(claim.id, entries);
    });
  }

  /** Returns which of these claims have to be given up, and why. */
  async checkClaims(claims: readonly Claim[]): Promise<Map<number, StopReason>> {
    const values = [claims.map(({ id }) => id), claims.map(({ attempt }) => attempt)];
    const rows = await this.database.query(CHECK_CLAIMS, values);
    return new Map(
      rows.flatMap(({ id, reason }) => (reason === null ? [] : [[id as number, reason as StopReason] as const])),
    );
  }

  private change(claim: Claim, state: string, work: (change: JobChange) => Promise<void>): Promise<void> {
    return JobChange.ofClaim(this.database, claim, state, this.now(), work);
  }
}

/** Asks the process that runs a turn of the job to stop. A newer message does not replace the user's own request. */
export async function requestStop({ query, jobId }: JobChange, reason: 'message' | 'user'): Promise<void> {
  await query(REQUEST_STOP, [jobId, reason]);
}

/** @param worker the name of the worker that claims it */
export async function claimTurn(
  change: JobChange,
  { id, attempt }: Claim,
  worker: string | null,
): Promise<Turn | undefined> {
  const [row] = await change.query(CLAIM_TURN, [id, attempt, change.now]);
  if (row === undefined) {
    return undefined;
  }
  const turn = toTurn(row);
  if (turn.state === 'running') {
    await change.addEntries(id, [stateEntry('running')]);
  }
  await change.query('UPDATE jobs SET worker = $2 WHERE id = $1', [change.jobId, worker]);
  return turn;
}

export async function finishTurn(
  change: JobChange,
  { id }: Claim,
  state: 'done' | 'failed' | 'cancelled',
  reason?: CodedText,
): Promise<void> {
  await change.query(FINISH_TURN, [id, state, toColumn(reason), change.now]);
  await change.addEntries(id, [stateEntry(state, reason)]);
}

/** Returns its state afterwards. */
export async function requeueTurn(
  change: JobChange,
  { id }: Claim,
  { isFree, note }: { isFree: boolean; note: CodedText },
): Promise<TurnState | undefined> {
  const [row] = await change.query(REQUEUE_TURN, [id, isFree, change.now]);
  if (row === undefined) {
    return undefined;
  }
  const turn = toTurn(row);
  await change.addEntries(id, requeueEntries(turn, note));
  return turn.state;
}
