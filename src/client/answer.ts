import { parseErrorBody } from '../shared/protocol/errorBody';
import { type WireJob, parseJob } from '../shared/protocol/job';
import { NOT_HANDLED_HEADER } from '../shared/protocol/notHandled';
import { ServiceError, type Effect, type ServiceErrorKind } from '../shared/protocol/serviceError';
import { parseRetryAfter, secondsToWait } from './retryAfter';
import type { HttpAnswer } from './transport';
import { decodeJson } from '../shared/util/decodeJson';

/**
 * Answers that say plainly that nothing was done, and what the user can do about it. 507 is the one status from 500 on:
 * the method could not be performed for want of space, and must not be repeated without the user (RFC 4918, section
 * 11.5); the local service answers it when its disk is full.
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
 * Returns the job that an answer carries.
 *
 * @param now wall time in milliseconds
 * @param isLocal it comes from this user's local service, whose word about its own door counts
 * @throws ServiceError for every answer that is no success with a job
 */
export function readAnswer(answer: HttpAnswer, now: number, isLocal = false): WireJob {
  if (answer.status >= 200 && answer.status < 300) {
    const job = parseJob(decodeJson(answer.body));
    if (job === undefined) {
      throw new ServiceError('notUnderstood', { effect: 'unknown', status: answer.status, code: 'NO_JOB' });
    }
    return job;
  }
  throw refusalOf(answer, now, isLocal);
}

/** What an answer says that is no success; the parameters are those of {@link readAnswer}. */
export function refusalOf(answer: HttpAnswer, now: number, isLocal = false): ServiceError {
  const { status, headers } = answer;
  const { detail, coded, retryAfterSeconds } = parseErrorBody(answer.body);
  const fromBody = retryAfterSeconds === undefined ? undefined : secondsToWait(retryAfterSeconds);
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now, headers.date) ?? fromBody;
  if (isLocal && (status === 503 || status === 408) && headers[NOT_HANDLED_HEADER.toLowerCase()] === '1') {
    return new ServiceError('unreachable', { effect: 'none', status, detail, retryAfterMs, code: 'NOT_HANDLED' });
  }
  const [kind, effect] = classify(status);
  return new ServiceError(kind, { effect, status, detail, coded, retryAfterMs });
}

/** What is in no list (3xx, 408, 421, nearly all 5xx and the rest) may have had an effect: a proxy on the way can answer for anyone. */
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
