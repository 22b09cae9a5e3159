// Without zod, which the extension loads only when it reads an answer.

/** The tokens and the cost of a job, as far as its agents report them. */
export interface Usage {
  /** The tokens in the agent's context at the end of the last run. Not a sum: each model call sends all of them. */
  tokens?: number | undefined;
  /** What its agents say that all runs cost. The currency is one of ISO 4217. */
  cost?: { amount: number; currency: string } | undefined;
}

/** Agents decide what they report. Greater numbers can't be token counts or costs. */
export const MAX_USAGE = 1_000_000_000;

/** Agents may also count in their own credits, which mean nothing to others. */
export const CURRENCY = /^[A-Z]{3}$/;

/** Returns the values that are possible, or undefined if none is. */
export function parseUsage(value: unknown): Usage | undefined {
  const { tokens, cost } = fieldsOf(value);
  const { amount, currency } = fieldsOf(cost);
  const usage: Usage = {
    ...(isAmount(tokens) && Number.isInteger(tokens) ? { tokens } : {}),
    ...(isAmount(amount) && typeof currency === 'string' && CURRENCY.test(currency)
      ? { cost: { amount, currency } }
      : {}),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return (value ?? {}) as Record<string, unknown>;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_USAGE;
}
