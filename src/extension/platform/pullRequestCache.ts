import { readFile } from 'node:fs/promises';
import { replaceFile } from '../../base/files';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
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

/**
 * Adds news to what is known. A pull request that was found merged or closed keeps the time at which that was found.
 */
export function withNews(
  before: ReadonlyMap<string, KnownPullRequest>,
  news: readonly (readonly [string, KnownPullRequest])[],
): ReadonlyMap<string, KnownPullRequest> {
  const fresh = new Map(news);
  const others = [...before].filter(([name]) => !fresh.has(name));
  const dated = news.map(([name, known]): [string, KnownPullRequest] => {
    const old = before.get(name);
    const isOver = known.state === 'merged' || known.state === 'closed';
    const since = known.state === old?.state ? old?.endedAt : known.at;
    return [name, { ...known, endedAt: isOver ? (known.endedAt ?? since) : undefined }];
  });
  return new Map([...others, ...dated].slice(-MAX_REMEMBERED));
}

export function looksSame(one: KnownPullRequest, other: KnownPullRequest | undefined): boolean {
  return one.state === other?.state && JSON.stringify(one.details) === JSON.stringify(other?.details);
}

/** Never rejects: without the file, the states are queried again. */
export async function writeCache(
  file: string,
  known: ReadonlyMap<string, KnownPullRequest>,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  try {
    await replaceFile(file, JSON.stringify(Object.fromEntries(known)));
  } catch (error) {
    log.warn('couldn’t save the states of pull requests', error);
  }
}

/** The file may have any shape. */
export async function readCache(file: string): Promise<[string, KnownPullRequest][]> {
  const value = decodeJson(await readFile(file, 'utf8').catch(() => '{}'));
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  return entries.flatMap<[string, KnownPullRequest]>(([link, value]) => {
    const { state, etag, at, details, endedAt } = (value ?? {}) as Record<string, unknown>;
    const found = STATES.find((each) => each === state);
    if (typeof at !== 'number') {
      return [];
    }
    const known = { etag: typeof etag === 'string' ? etag : undefined, details: readDetails(details) };
    return [[link, { state: found, at, ...known, endedAt: typeof endedAt === 'number' ? endedAt : undefined }]];
  });
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
