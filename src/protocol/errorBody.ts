import * as z from 'zod/mini';
import { decodeJson } from '../base/json';
import { withFallback } from '../base/withFallback';
import { codedField } from './codedSchema';
import type { CodedText } from './codedText';

/** The longest part of a service's own message that is kept, in characters. */
const MAX_DETAIL = 500;

const errorSchema = z.object({
  error: z.string(),
  details: withFallback(z.optional(z.array(z.object({ message: z.string() }))), undefined),
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
  const parsed = z.safeParse(errorSchema, decodeJson(text));
  if (!parsed.success) {
    return { detail: '' };
  }
  const { error, details, coded, retryAfterSeconds } = parsed.data;
  const detail = [error, ...(details ?? []).map((each) => each.message)].join(': ').slice(0, MAX_DETAIL);
  return { detail, ...(coded && { coded }), retryAfterSeconds };
}
