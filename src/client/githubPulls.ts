import * as z from 'zod/mini';
import { decodeJson } from '../base/json';
import { ServiceError } from '../protocol/errors';
import { parseRetryAfter } from './answer';
import type { Transport } from './transport';

const pullSchema = z.object({ state: z.enum(['open', 'closed']), merged: z.boolean() });

export interface PullRequestQuestion {
  /** Base URL of the API, without a trailing slash. */
  baseUrl: string;
  /** `OWNER/REPO/pulls/N`. */
  path: string;
  token: string;
  /** ETag of the known response: an unchanged response does not count against the rate limit. */
  etag?: string | undefined;
}

export type PullRequestAnswer =
  | { is: 'known'; state: 'open' | 'merged' | 'closed'; etag?: string | undefined }
  | { is: 'unchanged' }
  /** Not visible to this user: missing, or no access. */
  | { is: 'hidden' }
  /** Rate limited; milliseconds to wait, if GitHub says so. */
  | { is: 'limited'; waitMs?: number | undefined };

/**
 * Requests the state of a pull request from GitHub, once (https://docs.github.com/en/rest/pulls/pulls).
 *
 * @param now wall time in milliseconds
 * @throws ServiceError for any other response
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
      // An organization may require SSO for access.
      return isLimit ? { is: 'limited', waitMs } : { is: 'hidden' };
    }
    default:
      throw new ServiceError('notUnderstood', { effect: 'none', status: answer.status });
  }
}
