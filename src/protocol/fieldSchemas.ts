import * as z from 'zod/mini';
import { isBlank } from '../base/text';
import { withFallback } from '../base/withFallback';
import type { CodedText } from './codedText';
import { CURRENCY, MAX_USAGE } from './usage';

/** How deeply texts may be nested in each other. */
const MAX_DEPTH = 4;

const words = [z.string(), z.number()] as const;

function schemaTo(depth: number): z.ZodMiniType<CodedText> {
  const value = depth === 0 ? z.union(words) : z.union([...words, schemaTo(depth - 1)]);
  return z.object({ code: z.string(), params: z.optional(z.record(z.string(), value)) });
}
export const codedTextSchema = schemaTo(MAX_DEPTH);

/** A text that isn't blank. A schema for others has only the pattern, so `about` should say it. */
export const visibleText = (about: string) =>
  z.string().check(
    z.regex(/\S/),
    z.refine((text) => !isBlank(text), { error: 'It has no visible character.' }),
    z.describe(about),
  );

/** A field that may hold a text. An invalid value is dropped: the string beside it says the same in English. */
export const codedField = z.optional(withFallback(z.optional(codedTextSchema), undefined));

export const codedFieldsSchema = z.object({ error: codedField, note: codedField });

/** {@link Usage} with the limits that `parseUsage` applies. */
export const usageSchema = z.object({
  tokens: z.optional(z.int().check(z.nonnegative(), z.maximum(MAX_USAGE))),
  cost: z.optional(
    z.object({
      amount: z.number().check(z.nonnegative(), z.maximum(MAX_USAGE)),
      currency: z.string().check(z.regex(CURRENCY)),
    }),
  ),
});
