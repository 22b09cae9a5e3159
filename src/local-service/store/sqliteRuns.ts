import type { SqliteActivityLog } from './activityLog';
import type { Claim, JobStore, Turn } from './jobStore';
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
} from './rows';
import type { Statements } from './statements';

const CLAIM_TURN = `
  UPDATE turns SET state = CASE state WHEN 'queued' THEN 'running' ELSE state END, attempt = attempt + 1,
    started_at = CASE state WHEN 'queued' THEN :now ELSE started_at END, agent_pid = NULL, agent_start_time = NULL
  WHERE id = :id AND attempt = :attempt AND state IN ('queued', 'publishing') RETURNING ${TURN_COLUMNS}`;

const START_PUBLISHING = `
  UPDATE turns SET state = 'publishing', summary = ?, reason = ?, agent_pid = NULL, agent_start_time = NULL
  WHERE id = ?`;

const FINISH_TURN = `
  UPDATE turns SET state = :state, reason = :reason, ended_at = :now, agent_pid = NULL, agent_start_time = NULL
  WHERE id = :id`;

const REQUEUE_TURN = `
  UPDATE turns SET state = ${REQUEUED_STATE}, ended_at = CASE ${REQUEUED_STATE} WHEN 'cancelled' THEN :now END,
    free_attempts = free_attempts + (:free AND state <> 'queued'), agent_pid = NULL, agent_start_time = NULL
  WHERE id = :id RETURNING ${TURN_COLUMNS}`;

type Runs = Pick<JobStore, 'claimTurn' | 'record' | 'startPublishing' | 'recordCommit' | 'finishTurn' | 'requeueTurn'>;

/** What the process that runs a turn writes about it. */
export class SqliteRuns implements Runs {
  /** @param onChanged called with the id of each job whose state has changed */
  constructor(
    private readonly statements: Statements,
    private readonly stories: SqliteActivityLog,
    private readonly now: () => number,
    private readonly onChanged: (jobId: string) => void,
  ) {}

  async claimTurn({ id, jobId, attempt }: Claim): Promise<Turn | undefined> {
    const turn = this.statements.together(() => {
      const row = this.statements.sql(CLAIM_TURN).get({ id, attempt, now: this.now() });
      const claimed = row && toTurn(row);
      if (claimed?.state === 'running') {
        this.stories.add(jobId, id, [stateEntry('running')]);
      }
      return claimed;
    });
    if (turn?.state === 'running') {
      this.onChanged(jobId);
    }
    return turn;
  }

  record: Runs['record'] = async (claim, found) => {
    this.statements.claimed(claim, CLAIMED, () => {
      for (const [table, id] of [
        ['jobs', claim.jobId],
        ['turns', claim.id],
      ] as const) {
        const { columns, values } = changesOf(table, found);
        if (columns.length > 0) {
          const settings = columns.map((column) => `${column} = ?`).join(', ');
          this.statements.sql(`UPDATE ${table} SET ${settings} WHERE id = ?`).run(...values, id);
        }
      }
    });
  };

  startPublishing: Runs['startPublishing'] = async (claim, summary, endedEarly) => {
    this.statements.claimed(claim, CLAIMED, () => {
      this.statements.sql(START_PUBLISHING).run(summary, toColumn(endedEarly), claim.id);
      this.stories.add(claim.jobId, claim.id, [stateEntry('publishing', endedEarly)]);
    });
    this.onChanged(claim.jobId);
  };

  recordCommit: Runs['recordCommit'] = async ({ id, jobId, attempt }, commit, changes) => {
    this.statements.claimed({ id, jobId, attempt }, CLAIMED, () => {
      this.statements.sql('UPDATE turns SET commit_id = ? WHERE id = ?').run(commit, id);
      this.statements
        .sql('UPDATE jobs SET published_commit = ?, changes = ?, review = NULL WHERE id = ?')
        .run(commit, toColumn(changes), jobId);
    });
    this.onChanged(jobId);
  };

  finishTurn: Runs['finishTurn'] = async (claim, state, reason) => {
    this.statements.claimed(claim, UNFINISHED, () => {
      const values = { id: claim.id, state, reason: toColumn(reason), now: this.now() };
      this.statements.sql(FINISH_TURN).run(values);
      this.stories.add(claim.jobId, claim.id, [stateEntry(state, reason)]);
    });
    this.onChanged(claim.jobId);
  };

  requeueTurn: Runs['requeueTurn'] = async (claim, { isFree, note }) => {
    const isReplaced = this.statements.claimed(claim, UNFINISHED, () => {
      const row = this.statements.sql(REQUEUE_TURN).get({ id: claim.id, free: isFree ? 1 : 0, now: this.now() });
      const entries = row === undefined ? [] : requeueEntries(toTurn(row), note);
      this.stories.add(claim.jobId, claim.id, entries);
      return row?.['state'] === 'cancelled';
    });
    if (isReplaced) {
      this.onChanged(claim.jobId);
    }
  };
}
