import * as z from 'zod/mini';
import { decodeJson } from '../base/json';
import { withFallback } from '../base/withFallback';
import { codedField } from '../protocol/fieldSchemas';
import type { CodedText } from '../protocol/codedText';
import { type Effect, ServiceError, type ServiceErrorKind } from '../protocol/errors';
import { parseJob, type WireJob } from '../protocol/job';
import type { HttpAnswer } from './transport';

/**
 * Statuses that clearly say nothing was done, and what the user can do about it. The only one from 500 up is 507: the
 * server lacked the space to perform the method, and the client must not retry without the user (RFC 4918, section
 * 11.5). The local service returns it when its disk is full.
 */
const REFUSALS: Readonly<Record<number, ServiceErrorKind>> = {
  400: 'rejected',
  401: 'unauthorized',
  402: 'forbidden',
  403: 'forbidden',
  404: 'notFound',
  405: 'notUnderstood',
  406: 'notUnderstood',
  409: 'rejected',
  410: 'notFound',
  411: 'notUnderstood',
  413: 'rejected',
  414: 'notUnderstood',
  415: 'notUnderstood',
  417: 'notUnderstood',
  422: 'rejected',
  423: 'notUnderstood',
  424: 'notUnderstood',
  426: 'notUnderstood',
  428: 'notUnderstood',
  429: 'limit',
  431: 'notUnderstood',
  451: 'forbidden',
  507: 'unreachable',
};

/**
 * Returns the job in a response.
 *
 * @param now wall time in milliseconds
 * @param isLocal whether the response comes from this user's local service, which says 503 only instead of doing anything
 * @throws ServiceError for every response that is not a success with a job
 */
export function readAnswer(answer: HttpAnswer, now: number, isLocal = false): WireJob {
  if (answer.status >= 200 && answer.status < 300) {
    const job = parseJob(decodeJson(answer.body));
    if (job === undefined) {
      throw new ServiceError('notUnderstood', { effect: 'unknown', status: answer.status, code: 'NO_JOB' });
    }
    return job;
  }
  throw toServiceError(answer, now, isLocal);
}

/** Converts a response that is not a success; same parameters as {@link readAnswer}. */
export function toServiceError(answer: HttpAnswer, now: number, isLocal = false): ServiceError {
  const { status, headers } = answer;
  const { detail, coded, retryAfterSeconds } = parseErrorBody(answer.body);
  const fromBody = retryAfterSeconds === undefined ? undefined : secondsToWait(retryAfterSeconds);
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now, headers.date) ?? fromBody;
  if (isLocal && status === 503) {
    return new ServiceError('unreachable', { effect: 'none', status, detail, retryAfterMs, code: 'NOT_HANDLED' });
  }
  const [kind, effect] = classify(status);
  return new ServiceError(kind, { effect, status, detail, coded, retryAfterMs });
}

/**
 * Unlisted statuses (3xx, 408, 421, nearly all 5xx and the rest) may have had an effect, because a proxy on the way may
 * send any of them.
 */
function classify(status: number): [ServiceErrorKind, Effect] {
  const refusal = REFUSALS[status];
  if (refusal !== undefined) {
    return [refusal, 'refused'];
  }
  if (status === 408 || status === 504) {
    return ['timeout', 'unknown'];
  }
  return [status >= 500 ? 'unreachable' : 'notUnderstood', 'unknown'];
}

/**
 * The longest delay that is reported, in milliseconds; a longer one is an error, and could exceed the range of dates.
 */
const LONGEST_MS = 366 * 86_400_000;

/**
 * All three formats of an HTTP date start with the weekday. `Date.parse` alone would accept `-5` and `soon 5` as dates
 * too.
 */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

type Header = string | string[] | undefined;

/**
 * Parses a `Retry-After` header (RFC 9110, section 10.2.3: seconds or an HTTP date).
 *
 * @param now wall time in milliseconds, to compare a date with
 * @param sent the response's own `Date`, preferred over `now` because this machine's clock may be wrong
 * @returns milliseconds to wait, or undefined when the value is neither
 */
export function parseRetryAfter(value: Header, now: number, sent?: Header): number | undefined {
  const text = firstOf(value);
  if (text === undefined) {
    return undefined;
  }
  if (/^\d+$/.test(text)) {
    return secondsToWait(Number(text));
  }
  const date = parseDate(text);
  return date === undefined ? undefined : Math.min(Math.max(0, date - (parseDate(firstOf(sent)) ?? now)), LONGEST_MS);
}

function firstOf(header: Header): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.trim();
}

/** Parses an HTTP date into milliseconds. */
function parseDate(text = ''): number | undefined {
  // The oldest format has no time zone, but is in GMT too.
  const date = HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN;
  return Number.isNaN(date) ? undefined : date;
}

/** Converts the seconds that a service asks to wait into milliseconds. */
function secondsToWait(seconds: number): number {
  return Math.min(seconds * 1000, LONGEST_MS);
}

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
