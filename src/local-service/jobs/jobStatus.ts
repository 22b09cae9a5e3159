import { parseUsage, type Usage } from '../../protocol/usage';
import { coded, type CodedText } from '../../protocol/codedText';
import type { Turn, TurnOutline, TurnState } from '../store/jobStore';

export type JobStatus = 'active' | 'completed' | 'failed';

const UNFINISHED: readonly TurnState[] = ['queued', 'running', 'publishing'];

/** Why a turn failed: the service stopped before the turn ended, more than once. */
export const STOPPED_REASON = coded('stoppedByService');

/** Why a turn ended: the user stopped it. */
export const USER_REASON = coded('stoppedByUser');

interface JobStanding {
  status: JobStatus;
  error?: CodedText;
  stopped?: true;
  /** Why it ended before its work was done. */
  endedEarly?: CodedText;
}

/**
 * Derives a job's status from its turns, oldest first: active while any turn has not ended, else the outcome of the
 * newest one. The active status is stored nowhere, so no job can get stuck in it. `stopped` marks a job that the user
 * stopped, as opposed to one that failed.
 */
export function jobStatus(turns: readonly TurnOutline[]): JobStanding {
  const newest = turns.at(-1);
  if (turns.some((turn) => UNFINISHED.includes(turn.state))) {
    return { status: 'active' };
  }
  if (newest?.state === 'done') {
    return { status: 'completed', ...(newest.reason === null ? {} : { endedEarly: newest.reason }) };
  }
  const error = newest?.reason ?? STOPPED_REASON;
  // A newer message also cancels a turn, but then it isn't the newest one.
  return newest?.state === 'cancelled' ? { status: 'failed', error, stopped: true } : { status: 'failed', error };
}

/**
 * The usage of a job, from its turns, oldest first; undefined if no agent has reported any. The cost of a session is a
 * running total, so only its growth in each turn is added. A total that is lower than before has started over, as it
 * does with an agent that keeps it in its process. Costs in several currencies have no sum.
 */
export function jobUsage(turns: readonly Pick<Turn, 'usage'>[]): Usage | undefined {
  const totals = new Map<string, number>();
  const currencies = new Set<string>();
  let [tokens, amount]: [Usage['tokens'], number] = [undefined, 0];
  for (const { usage } of turns) {
    tokens = usage?.tokens ?? tokens;
    if (usage?.cost !== undefined) {
      const before = totals.get(usage.session) ?? 0;
      const total = usage.cost.amount;
      amount += total < before ? total : total - before;
      totals.set(usage.session, total);
      currencies.add(usage.cost.currency);
    }
  }
  const [currency, ...others] = currencies;
  return parseUsage({ tokens, cost: others.length > 0 ? undefined : { amount, currency } });
}
