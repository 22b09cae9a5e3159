import type { PullRequestAnswer, PullRequestDetails } from '../../client';
import { changesOf, isCount } from '../../jobs/snapshot';
import type { PullRequestState } from '../../protocol/surroundings';

const STATES: readonly PullRequestState[] = ['open', 'merged', 'closed'];
const CHECKS = ['passing', 'failing', 'pending'] as const;

/** What is known of a pull request. */
export interface KnownPullRequest {
  state?: PullRequestState | undefined;
  details?: PullRequestDetails | undefined;
  etag?: string | undefined;
  /** When it was last queried: wall time in milliseconds. */
  at: number;
  /** When it was merged or closed, or found to be: wall time in milliseconds. */
  endedAt?: number | undefined;
}

const MAX_REMEMBERED = 5_000;

/** What is known after an answer. Checks belong to an open pull request, and stay known until GitHub says otherwise. */
export function afterAnswer(
  before: KnownPullRequest | undefined,
  answer: PullRequestAnswer,
): Omit<KnownPullRequest, 'at'> {
  const { state, etag, details, endedAt } = answer.is === 'known' ? answer : { ...before };
  const checks = ('checks' in answer ? answer.checks : undefined) ?? before?.details?.checks;
  const told = state === 'open' && checks !== undefined ? { ...details, checks } : details;
  return { state, etag, details: told, endedAt };
}

/** By link; what was heard last comes last. */
export type PullRequests = Readonly<Record<string, KnownPullRequest>>;

/**
 * Adds news of one pull request to what is known. If it was found merged or closed, it keeps the time at which that was
 * found.
 */
export function withNews(before: PullRequests, link: string, news: KnownPullRequest): PullRequests {
  const { [link]: old, ...others } = before;
  const isOver = news.state === 'merged' || news.state === 'closed';
  const since = news.state === old?.state ? old?.endedAt : news.at;
  const dated = { ...news, endedAt: isOver ? (news.endedAt ?? since) : undefined };
  return Object.fromEntries([...Object.entries(others), [link, dated] as const].slice(-MAX_REMEMBERED));
}

export function looksSame(one: KnownPullRequest, other: KnownPullRequest | undefined): boolean {
  return one.state === other?.state && JSON.stringify(one.details) === JSON.stringify(other?.details);
}

/** Returns what the file contains, whatever its shape. */
export function readPullRequests(value: unknown): PullRequests {
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  return Object.fromEntries(entries.flatMap(([name, known]) => readOne(name, known)));
}

function readOne(name: string, value: unknown): [string, KnownPullRequest][] {
  const { state, etag, at, details, endedAt } = (value ?? {}) as Record<string, unknown>;
  if (typeof at !== 'number') {
    return [];
  }
  const known: KnownPullRequest = {
    state: STATES.find((each) => each === state),
    at,
    etag: typeof etag === 'string' ? etag : undefined,
    details: readDetails(details),
    endedAt: typeof endedAt === 'number' ? endedAt : undefined,
  };
  return [[name, known]];
}

function readDetails(value: unknown): PullRequestDetails | undefined {
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const { isDraft, isReviewRequested, comments, changes, checks } = value as Record<string, unknown>;
  const result = CHECKS.find((each) => each === checks);
  return {
    ...(isDraft === true ? { isDraft } : {}),
    ...(isReviewRequested === true ? { isReviewRequested } : {}),
    ...(isCount(comments) ? { comments } : {}),
    ...changesOf(changes),
    ...(result === undefined ? {} : { checks: result }),
  };
}
