import { parseUsage, type Usage } from '../../protocol/usage';
import type { Turn } from '../store/jobStore';

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
