import * as z from 'zod/mini';
import { CURRENCY, MAX_USAGE } from './usage';

/** See `Usage`. */
export const usageSchema = z.object({
  tokens: z.optional(z.int().check(z.nonnegative(), z.maximum(MAX_USAGE))),
  cost: z.optional(
    z.object({
      amount: z.number().check(z.nonnegative(), z.maximum(MAX_USAGE)),
      currency: z.string().check(z.regex(CURRENCY)),
    }),
  ),
});
