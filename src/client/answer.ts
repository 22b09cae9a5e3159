import { parseErrorBody } from '../shared/protocol/errorBody';
import { type WireJob, parseJob } from '../shared/protocol/job';
import { ServiceError, type Effect, type ServiceErrorKind } from '../shared/protocol/serviceError';
import { parseRetryAfter, secondsToWait } from './retryAfter';
import type { HttpAnswer } from './transport';
import { decodeJson } from '../shared/util/decodeJson';

/** Answers that say plainly that nothing was done, and what the user can do about it. */
const REFUSALS: Readonly<Record<number, ServiceErrorKind>> = {
  400: 'rejected',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  409: 'rejected',
  413: 'rejected',
  422: 'rejected',
  429: 'limit',
};

/**
 * Returns the job that an answer carries.
 *
 * @param now wall time in milliseconds
 * @throws ServiceError for every answer that is no success with a job
 */
export function readAnswer(answer: HttpAnswer, now: number): WireJob {
  if (answer.status >= 200 && answer.status < 300) {
    const job = parseJob(decodeJson(answer.body));
    if (job === undefined) {
      throw new ServiceError('notUnderstood', { effect: 'unknown', status: answer.status, code: 'NO_JOB' });
    }
    return job;
  }
  throw refusalOf(answer, now);
}

/**
 * What an answer says that is no success.
 *
 * @param now wall time in milliseconds
 */
export function refusalOf(answer: HttpAnswer, now: number): ServiceError {
  const { detail, retryAfterSeconds } = parseErrorBody(answer.body);
  const [kind, effect] = classify(answer.status);
  const fromBody = retryAfterSeconds === undefined ? undefined : secondsToWait(retryAfterSeconds);
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], now, answer.headers.date) ?? fromBody;
  return new ServiceError(kind, { effect, status: answer.status, detail, retryAfterMs });
}

/** What is in no list (3xx, 421, 5xx and the rest) may have had an effect: a proxy on the way can answer for anyone. */
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
