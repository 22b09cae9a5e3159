import { systemClock } from '../../base/async';
import type { Logger } from '../../base/logger';
import type { Redactor } from '../../base/redact';
import { LOCAL_SERVICE } from '../../jobs/events';
import { jobStatus } from '../../jobs/jobStatus';
import type { JobStore } from '../../jobs/jobStore';
import { isListed, type TrackedJob } from '../../jobs/trackedJob';
import type { PullRequestDetails } from '../../client';
import type { LazyClients } from './clients';
import type { LocalAccess } from './localAccess';
import type { WantedJobs } from './localReviews';
import { askGitHub, endedPullRequests, githubPullRequest, localReview } from './pullRequestLink';
import { type PullRequestState, PullRequestStates } from './pullRequestStates';

/** The maximum number of jobs to query per project. */
const MAX_JOBS = 1_000;

/**
 * The key under which the review outcome of an ended local job is stored. It includes the run, because a follow-up
 * reopens a review that was closed or merged. Undefined for other jobs.
 */
export function getLocalWorkKey({ home, snapshot, run, endedAt }: TrackedJob): string | undefined {
  const isWork = home.service === LOCAL_SERVICE && snapshot !== undefined && endedAt !== undefined;
  return isWork ? `local:${home.projectId}/${snapshot.id}/${run}` : undefined;
}

/**
 * Returns the review state of an ended job from its Git host, otherwise from the local service; undefined if unknown.
 */
export function workState(job: TrackedJob, pulls: Pick<PullRequestStates, 'get'>): PullRequestState | undefined {
  const link = job.endedAt === undefined ? undefined : githubPullRequest(job.snapshot?.prLink);
  const work = getLocalWorkKey(job);
  const [hosted, own] = [link, work].map((name) => (name === undefined ? undefined : pulls.get(name)));
  return hosted === undefined || hosted === 'open' ? (own ?? hosted) : hosted;
}

/** A time at which a job's work was merged or closed. */
export interface WorkEnd {
  id: string;
  at: number;
  state: 'merged' | 'closed';
}

/** When the work of each run of a job was merged or closed, as far as known. */
export function workEnds(job: TrackedJob, pulls: Pick<PullRequestStates, 'get' | 'endedAt'>): WorkEnd[] {
  const link = githubPullRequest(job.snapshot?.prLink);
  const runs = new Set([...job.sends.map(({ id }) => id), job.run]);
  const own = [...runs].map((run) => getLocalWorkKey({ ...job, run }));
  return [link, ...own].flatMap((name) => {
    const [state, at] = name === undefined ? [] : [pulls.get(name), pulls.endedAt(name)];
    const isOver = state === 'merged' || state === 'closed';
    return name !== undefined && isOver && at !== undefined ? [{ id: name, at, state }] : [];
  });
}

/** What GitHub says about the open pull request of an ended job; undefined if nothing. */
export function openDetails(
  { snapshot, endedAt }: TrackedJob,
  pulls: Pick<PullRequestStates, 'get' | 'details'>,
): PullRequestDetails | undefined {
  const link = endedAt === undefined ? undefined : githubPullRequest(snapshot?.prLink);
  return link === undefined ? undefined : pulls.details(link);
}

/**
 * The state of a local job's review, if the user decides about its work here: there is work, the agent has finished,
 * and there is no pull request on a Git host. Undefined for other jobs.
 */
export function localDecision(
  job: TrackedJob,
  pulls: Pick<PullRequestStates, 'get'> | PullRequestState | undefined,
): PullRequestState | undefined {
  if (jobStatus(job) !== 'completed' || localReview(job) === undefined) {
    return undefined;
  }
  return (typeof pulls === 'object' ? workState(job, pulls) : pulls) ?? 'open';
}

/**
 * Queries the review outcomes of listed jobs from the local service, while it is running. Merged work is not queried
 * again.
 *
 * @param failed called with the reason why a project could not be queried, such as one that the service does not know;
 * the other projects still are
 */
export async function queryLocalReviews(
  jobs: readonly TrackedJob[],
  pulls: Pick<PullRequestStates, 'get'>,
  access: Pick<LocalAccess, 'reviews'>,
  failed: (error: unknown) => void,
): Promise<Map<string, PullRequestState>> {
  const wanted = jobs.filter((job) => {
    const work = getLocalWorkKey(job);
    return work !== undefined && isListed(job) && pulls.get(work) !== 'merged';
  });
  const states = new Map<string, PullRequestState>();
  for (const [projectId, own] of Map.groupBy(wanted, ({ home }) => home.projectId)) {
    const newest = own.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, MAX_JOBS);
    const reviews = await access.reviews(projectId, wantedOf(newest)).catch((error: unknown) => {
      failed(error);
      return new Map<string, PullRequestState>();
    });
    for (const job of newest) {
      const state = reviews.get(job.snapshot?.id ?? '');
      const work = getLocalWorkKey(job);
      if (state !== undefined && work !== undefined) {
        states.set(work, state);
      }
    }
  }
  return states;
}

function wantedOf(jobs: readonly TrackedJob[]): WantedJobs {
  const made = jobs.map(({ snapshot }) => Date.parse(snapshot?.createdAt ?? ''));
  return {
    ids: new Set(jobs.map(({ snapshot }) => snapshot?.id ?? '')),
    since: Math.min(...made.map((at) => (Number.isNaN(at) ? -Infinity : at))),
  };
}

export interface PullRequestOptions {
  file: string;
  store: Pick<JobStore, 'jobs'>;
  localAccess: Pick<LocalAccess, 'reviews'>;
  clients: LazyClients;
  redactor: Redactor;
  log: Logger;
}

/** Follows the review states of all ended jobs, at GitHub and at the local service. */
export function followPullRequests(options: PullRequestOptions): PullRequestStates {
  const { file, store, localAccess, log } = options;
  const states: PullRequestStates = new PullRequestStates({
    file,
    ask: (link, etag, known) => askGitHub(options, link, etag, known),
    links: () => endedPullRequests(store.jobs),
    local: (failed) => queryLocalReviews(store.jobs, states, localAccess, failed),
    clock: systemClock,
    log,
  });
  return states;
}
