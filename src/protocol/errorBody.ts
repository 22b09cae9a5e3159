import * as z from 'zod/mini';
import { decodeJson } from '../base/json';
import { listOf } from '../base/lengthChecks';
import { withFallback } from '../base/withFallback';
import { codedField } from './codedSchema';
import type { CodedText } from './codedText';

/** The longest part of a service's own message that is kept, in characters. */
const MAX_DETAIL = 500;

/** The longest error body that is read, in characters. Services send a sentence. */
const MAX_BODY = 65_536;

/** How many details are read; only the start of all of them is kept. */
const MAX_DETAILS = 100;

const errorSchema = z.object({
  error: z.string(),
  details: withFallback(z.optional(listOf(z.object({ message: z.string() }), MAX_DETAILS)), undefined),
  coded: codedField,
  retryAfterSeconds: withFallback(z.optional(z.number().check(z.nonnegative())), undefined),
});

/** The content of an error body. `retryAfterSeconds` is undefined if the body does not contain it. */
export interface ErrorBody {
  detail: string;
  coded?: CodedText | undefined;
  retryAfterSeconds?: number | undefined;
}

/**
 * Parses the three known shapes: `{error}`, `{error, details: [{message}]}`, and anything else (a proxy's HTML page, an
 * empty body), from which no text is taken because HTML markup helps no one.
 */
export function parseErrorBody(text: string): ErrorBody {
  const parsed = z.safeParse(errorSchema, text.length > MAX_BODY ? undefined : decodeJson(text));
  if (!parsed.success) {
    return { detail: '' };
  }
  const { error, details, coded, retryAfterSeconds } = parsed.data;
  const detail = [error, ...(details ?? []).map((each) => each.message)].join(': ').slice(0, MAX_DETAIL);
  return { detail, ...(coded && { coded }), retryAfterSeconds };
}
