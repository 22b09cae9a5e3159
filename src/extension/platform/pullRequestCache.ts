import type { PullRequestAnswer, PullRequestDetails } from '../../client';
import { changesOf, isCount } from '../../jobs/snapshot';

const STATES = ['open', 'merged', 'closed'] as const;
const CHECKS = ['passing', 'failing', 'pending'] as const;

/** The state of a pull request. */
export type PullRequestState = (typeof STATES)[number];

/** What is known of a pull request, or of the work of a local job. */
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

/** By link, or by the key of a local job's work; what was heard last comes last. */
export type PullRequests = Readonly<Record<string, KnownPullRequest>>;

/**
 * Adds news to what is known. A pull request that was found merged or closed keeps the time at which that was found.
 */
export function withNews(before: PullRequests, news: readonly (readonly [string, KnownPullRequest])[]): PullRequests {
  const fresh = new Set(news.map(([name]) => name));
  const others = Object.entries(before).filter(([name]) => !fresh.has(name));
  const dated = news.map(([name, known]): [string, KnownPullRequest] => {
    const old = before[name];
    const isOver = known.state === 'merged' || known.state === 'closed';
    const since = known.state === old?.state ? old?.endedAt : known.at;
    return [name, { ...known, endedAt: isOver ? (known.endedAt ?? since) : undefined }];
  });
  return Object.fromEntries([...others, ...dated].slice(-MAX_REMEMBERED));
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
