import * as z from 'zod/mini';
import { maxLength, smallOnly } from '../base/lengthChecks';
import { MAX_FIELD } from '../base/text';
import { withFallback } from '../base/withFallback';
import type { CodedText } from './codedText';

/** How deeply texts may be nested in each other. */
const MAX_DEPTH = 4;

/** How many members a text and those in it may have together. Ours have a few. */
const MAX_MEMBERS = 100;

const nameSchema = z.string().check(maxLength(40));
const words = [z.string().check(maxLength(MAX_FIELD)), z.number()] as const;

function schemaTo(depth: number): z.ZodMiniType<CodedText> {
  const value = depth === 0 ? z.union(words) : z.union([...words, schemaTo(depth - 1)]);
  return z.object({ code: nameSchema, params: z.optional(z.record(nameSchema, value)) });
}
export const codedTextSchema = schemaTo(MAX_DEPTH);

/** A field that may hold a text. An invalid value is dropped: the string beside it says the same in English. */
export const codedField = z.optional(withFallback(z.optional(smallOnly(codedTextSchema, MAX_MEMBERS)), undefined));

export const codedFieldsSchema = z.object({ error: codedField, note: codedField });
