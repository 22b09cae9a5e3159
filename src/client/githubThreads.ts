import * as z from 'zod/mini';
import { ServiceError } from '../protocol/errors';
import { type PullRequestQuestion, queryPullRequest, type RateLimited } from './githubPulls';
import type { Transport } from './transport';

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
