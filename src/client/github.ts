import * as z from 'zod/mini';
import { withFallback } from '../base/withFallback';
import { decodeJson } from '../base/json';
import { ServiceError } from '../protocol/errors';
import { parseRetryAfter } from './answer';
import type { HttpAnswer, Transport } from './transport';

/** A number or list of an unexpected type counts as unknown: only the state is needed. */
const count = withFallback(z.optional(z.int().check(z.minimum(0), z.maximum(1_000_000_000))), undefined);
const list = withFallback(z.optional(z.array(z.unknown())), undefined);

const pullSchema = z.object({
  state: z.enum(['open', 'closed']),
  merged: z.boolean(),
  closed_at: withFallback(z.nullish(z.iso.datetime({ offset: true })), undefined),
  draft: withFallback(z.optional(z.boolean()), undefined),
  comments: count,
  review_comments: count,
  requested_reviewers: list,
  requested_teams: list,
  changed_files: count,
  additions: count,
  deletions: count,
});

/** What GitHub reports about an open or closed pull request besides its state. */
export interface PullRequestDetails {
  isDraft?: true;
  isReviewRequested?: true;
  /** On the pull request and on its lines. */
  comments?: number;
  changes?: { files: number; added: number; deleted: number };
  /** The checks of the newest commit of an open pull request. */
  checks?: 'passing' | 'failing' | 'pending';
}

export interface PullRequestQuestion {
  /** Base URL of the API, without a trailing slash. */
  baseUrl: string;
  /** `OWNER/REPO/pulls/N`. */
  path: string;
  token: string;
  /** ETag of the known response: an unchanged response does not count against the rate limit. */
  etag?: string | undefined;
}

export interface RateLimited {
  is: 'limited';
  /** Milliseconds to wait, if GitHub says so. */
  waitMs?: number | undefined;
}

/** What is asked about an open pull request besides its state. */
export interface ChecksAnswer {
  checks?: PullRequestDetails['checks'];
  /** The state is known, but GitHub is not to be asked again now. */
  limit?: RateLimited;
}

export type PullRequestAnswer =
  | ({
      is: 'known';
      state: 'open' | 'merged' | 'closed';
      details?: PullRequestDetails;
      etag?: string | undefined;
      /** When it was merged or closed: wall time in milliseconds. */
      endedAt?: number;
    } & ChecksAnswer)
  | ({ is: 'unchanged' } & ChecksAnswer)
  /** Not visible to this user: missing, or no access. */
  | { is: 'hidden' }
  | RateLimited;

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
  const headers = { ...githubHeaders(token), ...(etag === undefined ? {} : { 'if-none-match': etag }) };
  const answer = await transport.send({ method: 'GET', url: `${baseUrl}/repos/${path}`, headers });
  switch (answer.status) {
    case 200: {
      const parsed = z.safeParse(pullSchema, decodeJson(answer.body));
      if (!parsed.success) {
        throw new ServiceError('notUnderstood', { effect: 'none', status: 200, code: 'NO_PULL_REQUEST' });
      }
      const { state, merged, closed_at: closed } = parsed.data;
      const details = detailsOf(parsed.data);
      const ended = state === 'closed' && closed != null ? { endedAt: Date.parse(closed) } : {};
      return { is: 'known', state: merged ? 'merged' : state, details, etag: answer.headers.etag, ...ended };
    }
    case 304:
      return { is: 'unchanged' };
    case 401:
    case 404:
      return { is: 'hidden' };
    case 403:
    case 429:
      // An organization may require SSO for access.
      return limitOf(answer, now) ?? { is: 'hidden' };
    default:
      throw new ServiceError('notUnderstood', { effect: 'none', status: answer.status });
  }
}

function detailsOf(pull: z.infer<typeof pullSchema>): PullRequestDetails {
  const { comments, review_comments: onLines, changed_files: files, additions: added, deletions: deleted } = pull;
  const isAsked = [...(pull.requested_reviewers ?? []), ...(pull.requested_teams ?? [])].length > 0;
  const hasCounts = files !== undefined && added !== undefined && deleted !== undefined;
  return {
    ...(pull.draft === true ? { isDraft: true } : {}),
    ...(isAsked ? { isReviewRequested: true } : {}),
    ...(comments === undefined ? {} : { comments: comments + (onLines ?? 0) }),
    ...(hasCounts ? { changes: { files, added, deleted } } : {}),
  };
}

/** Returns undefined if the response isn't a rate limit refusal. */
function limitOf({ status, headers }: HttpAnswer, now: number): RateLimited | undefined {
  const waitMs = parseRetryAfter(headers['retry-after'], now, headers.date);
  const isLimit =
    status === 429 || (status === 403 && (waitMs !== undefined || headers['x-ratelimit-remaining'] === '0'));
  return isLimit ? { is: 'limited', waitMs } : undefined;
}

export function githubHeaders(token: string): Record<string, string> {
  return {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'user-agent': 'docs-agent-jobs',
    'x-github-api-version': '2022-11-28',
  };
}

const errorsSchema = z.optional(z.array(z.object({ type: z.optional(z.string()) })));

/**
 * Sends one query about a pull request to GitHub's GraphQL API, which alone answers some questions with one request.
 *
 * @param path `OWNER/REPO/pulls/N`, the variables `$owner`, `$name` and `$number` of the query
 * @throws ServiceError for any response but data and a rate limit
 */
export async function queryPullRequest(
  transport: Transport,
  { baseUrl, path, token }: PullRequestQuestion,
  query: string,
  now: number,
): Promise<{ is: 'known'; data: unknown } | RateLimited> {
  const [owner, name, , number] = path.split('/');
  const answer = await transport.send({
    method: 'POST',
    url: `${baseUrl}/graphql`,
    headers: { ...githubHeaders(token), 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { owner, name, number: Number(number) } }),
  });
  const limit = limitOf(answer, now);
  if (limit !== undefined) {
    return limit;
  }
  const { data, errors } = (decodeJson(answer.body) ?? {}) as { data?: unknown; errors?: unknown };
  const failures = z.safeParse(errorsSchema, errors);
  // GitHub reports a used-up limit with status 200.
  if (failures.success && failures.data?.some(({ type }) => type === 'RATE_LIMITED') === true) {
    return { is: 'limited' };
  }
  if (answer.status !== 200 || data == null) {
    throw new ServiceError('notUnderstood', { effect: 'none', status: answer.status, code: 'NO_DATA' });
  }
  return { is: 'known', data };
}

const CHECKS_QUERY = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { commits(last: 1) { nodes { commit { statusCheckRollup { state } } } } }
  }
}`;

const rollupSchema = z.object({ statusCheckRollup: z.nullable(z.object({ state: z.string() })) });
const checksSchema = z.object({
  repository: z.object({
    pullRequest: z.object({
      commits: z.object({ nodes: z.array(z.object({ commit: rollupSchema })) }),
    }),
  }),
});

const ROLLUPS: Readonly<Record<string, PullRequestDetails['checks']>> = {
  SUCCESS: 'passing',
  FAILURE: 'failing',
  ERROR: 'failing',
  PENDING: 'pending',
  EXPECTED: 'pending',
};

/** Requests the result of all checks of a pull request, which the REST API would answer in several requests. */
export async function readChecks(
  transport: Transport,
  question: PullRequestQuestion,
  now: number,
): Promise<ChecksAnswer> {
  const answer = await queryPullRequest(transport, question, CHECKS_QUERY, now);
  if (answer.is === 'limited') {
    return { limit: answer };
  }
  const parsed = z.safeParse(checksSchema, answer.data);
  const state = parsed.data?.repository.pullRequest.commits.nodes[0]?.commit.statusCheckRollup?.state;
  const checks = state === undefined || !Object.hasOwn(ROLLUPS, state) ? undefined : ROLLUPS[state];
  return checks === undefined ? {} : { checks };
}

const THREADS_QUERY = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100) {
        nodes { isResolved isOutdated path line originalLine comments(first: 20) { nodes { author { login } body } } }
      }
    }
  }
}`;

const lineNumber = z.nullish(z.int().check(z.positive()));
const threadSchema = z.object({
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  path: z.string(),
  line: lineNumber,
  originalLine: lineNumber,
  comments: z.object({
    // A deleted account has no author.
    nodes: z.array(z.object({ author: z.nullable(z.object({ login: z.string() })), body: z.string() })),
  }),
});
const threadsSchema = z.object({
  repository: z.object({
    pullRequest: z.object({ reviewThreads: z.object({ nodes: z.array(threadSchema) }) }),
  }),
});

/** A conversation on a line of a pull request, as GitHub returns it. */
export interface GithubThread {
  path: string;
  line: number | undefined;
  isOutdated: boolean;
  comments: { author: string; text: string }[];
}

/**
 * Requests the unresolved review comments of a pull request, among its first 100 conversations.
 *
 * @throws ServiceError for any response but comments and a rate limit
 */
export async function readReviewThreads(
  transport: Transport,
  question: PullRequestQuestion,
  now: number,
): Promise<{ is: 'known'; threads: GithubThread[] } | RateLimited> {
  const answer = await queryPullRequest(transport, question, THREADS_QUERY, now);
  if (answer.is === 'limited') {
    return answer;
  }
  const parsed = z.safeParse(threadsSchema, answer.data);
  if (!parsed.success) {
    throw new ServiceError('notUnderstood', { effect: 'none', status: 200, code: 'NO_PULL_REQUEST' });
  }
  const { nodes } = parsed.data.repository.pullRequest.reviewThreads;
  const open = nodes.filter(({ isResolved, comments }) => !isResolved && comments.nodes.length > 0);
  const threads = open.slice(0, 100).map(({ path, line, originalLine, isOutdated, comments }) => ({
    path,
    line: line ?? originalLine ?? undefined,
    isOutdated,
    comments: comments.nodes.map(({ author, body }) => ({ author: author?.login ?? 'ghost', text: body })),
  }));
  return { is: 'known', threads };
}
