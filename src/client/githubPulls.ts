import * as z from 'zod/mini';
import { decodeJson } from '../base/json';
import { ServiceError } from '../protocol/errors';
import { parseRetryAfter } from './answer';
import type { Transport } from './transport';

const pullSchema = z.object({ state: z.enum(['open', 'closed']), merged: z.boolean() });

export interface PullRequestQuestion {
  /** Of the API, without a slash at its end. */
  baseUrl: string;
  /** `OWNER/REPO/pulls/N`. */
  path: string;
  token: string;
  /** Of the answer that is known: the same again costs none of the limit. */
  etag?: string | undefined;
}

export type PullRequestAnswer =
  | { is: 'known'; state: 'open' | 'merged' | 'closed'; etag?: string | undefined }
  | { is: 'unchanged' }
  /** There is nothing to be seen for this user. */
  | { is: 'hidden' }
  /** GitHub wants less of us; milliseconds to wait, where it says how many. */
  | { is: 'limited'; waitMs?: number | undefined };

/**
 * Asks GitHub once how a pull request stands (https://docs.github.com/en/rest/pulls/pulls).
 *
 * @param now wall time in milliseconds
 * @throws ServiceError for whatever else comes
 */
export async function readPullRequest(
  transport: Transport,
  { baseUrl, path, token, etag }: PullRequestQuestion,
  now: number,
): Promise<PullRequestAnswer> {
  const headers: Record<string, string> = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'user-agent': 'docs-agent-jobs',
    'x-github-api-version': '2022-11-28',
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
  };
  const answer = await transport.send({ method: 'GET', url: `${baseUrl}/repos/${path}`, headers });
  switch (answer.status) {
    case 200: {
      const parsed = z.safeParse(pullSchema, decodeJson(answer.body));
      if (!parsed.success) {
        throw new ServiceError('notUnderstood', { effect: 'none', status: 200, code: 'NO_PULL_REQUEST' });
      }
      const { state, merged } = parsed.data;
      return { is: 'known', state: merged ? 'merged' : state, etag: answer.headers.etag };
    }
    case 304:
      return { is: 'unchanged' };
    case 401:
    case 404:
      return { is: 'hidden' };
    case 403:
    case 429: {
      const waitMs = parseRetryAfter(answer.headers['retry-after'], now, answer.headers.date);
      const isLimit = answer.status === 429 || waitMs !== undefined || answer.headers['x-ratelimit-remaining'] === '0';
      // An organization may let only those see it who have signed in there.
      return isLimit ? { is: 'limited', waitMs } : { is: 'hidden' };
    }
    default:
      throw new ServiceError('notUnderstood', { effect: 'none', status: answer.status });
  }
}
