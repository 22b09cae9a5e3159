import * as vscode from 'vscode';
import type { Redactor } from '../../base/redact';
import { truncateWithEllipsis } from '../../base/text';
import { MAX_FIELD } from '../../base/limits';
import type { PullRequestAnswer, readReviewThreads } from '../../client';
import { LOCAL_SERVICE } from '../../jobs/events';
import { isListed, type TrackedJob } from '../../jobs/trackedJob';
import { isReviewLink } from '../../protocol/localIds';
import type { PullRequestState } from '../../protocol/surroundings';
import { toLabel } from './sanitize';
import type { LazyClients } from './serviceAccess';
import { isConfidential, isLoopback } from '../../base/network';

/** What a URL must not contain or begin with, because browsers and the editor interpret it differently. */
const UNLIKE_ADDRESS = /[\s\\\p{Cc}\p{Cf}]|^(?!https?:\/\/[^/])|^[^/]*\/\/[^/?#]*@/iu;

/**
 * Returns the URL if it is safe to open in a browser: https, or http on this machine (the local service's review page).
 * Rejects user info, which can disguise the host, and anything that a URL parser would drop or rewrite or that is
 * invisible, because the original text is what gets opened. An international host is accepted only as `xn--…`, so that
 * it can't look like another one. A service's link of more than 2,000 characters isn't kept, so none is accepted.
 */
export function safeLink(link: string | null | undefined): URL | undefined {
  if (link == null || link.length > MAX_FIELD || UNLIKE_ADDRESS.test(link) || !URL.canParse(link)) {
    return undefined;
  }
  const url = new URL(link);
  return isConfidential(url) && url.hostname !== '' && hostsOf(url).includes(writtenHost(link)) ? url : undefined;
}

function writtenHost(link: string): string {
  return /^[^/]*\/\/([^/?#]*)/.exec(link)?.[1]?.toLowerCase() ?? '';
}

/** A URL omits the port if it is that of its scheme. */
function hostsOf({ host, protocol }: URL): string[] {
  return [host, `${host}:${protocol === 'https:' ? '443' : '80'}`];
}

/**
 * Returns true if a job's pull request may be opened in the browser. Only a service on this machine can have pages here:
 * a link of another one could make the browser send a request to a program of the user.
 */
export function isOpenable(link: string, { service }: TrackedJob['location']): boolean {
  const url = safeLink(link);
  return url?.protocol === 'https:' || (url !== undefined && isOnThisMachine(service));
}

function isOnThisMachine(service: string): boolean {
  return service === LOCAL_SERVICE || (URL.canParse(service) && isLoopback(new URL(service).hostname));
}

/** Returns a link for the clipboard: with spaces, line breaks, and invisible characters as a browser would encode them. */
export function copiedLink(link: string | null | undefined): string | null {
  return link?.replace(/[\s\p{Cc}\p{Cf}]+/gu, encodeURIComponent) ?? null;
}

/**
 * Returns the id of a job whose link is a review page of the local service. The URL alone opens nothing, and another
 * program may be using the port by now, so the page is opened through the service (see `openPullRequest`).
 */
export function localReview({ location, snapshot }: Pick<TrackedJob, 'location' | 'snapshot'>): string | undefined {
  const { id = '', prLink = null } = snapshot ?? {};
  return location.service === LOCAL_SERVICE && prLink !== null && isReviewLink(prLink, id) ? id : undefined;
}

/** Longer addresses are cut. */
const MAX_NAME = 80;

/**
 * A short name of a job's pull request: `owner/repo#12` on GitHub, otherwise its address without scheme, query and
 * fragment. Empty if there is none, and for a review page of the local service.
 */
export function pullRequestName(job: Pick<TrackedJob, 'location' | 'snapshot'>): string {
  const link = job.snapshot?.prLink;
  const url = safeLink(link);
  if (url === undefined || localReview(job) !== undefined) {
    return '';
  }
  const [, owner, name, , number] = githubPullRequest(link)?.replace('https://github.com', '').split('/') ?? [];
  const address = url.host + url.pathname.replace(/(?<!\/)\/+$/, '');
  return owner === undefined ? truncateWithEllipsis(address, MAX_NAME) : `${owner}/${name ?? ''}#${number ?? ''}`;
}

/** The subpages of a pull request that a link may point to. */
const PAGES = 'files|changes|commits|checks|conflicts';

const PATH = new RegExp(
  `^/([A-Za-z0-9_-]{1,39})/([A-Za-z0-9._-]{1,100})/pull/([1-9][0-9]{0,9})(?:/(?:${PAGES})(?:/.*)?)?/?$`,
);

/**
 * Returns a link as `https://github.com/OWNER/REPO/pull/N`, without subpage, query and fragment: the only form that the
 * extension “GitHub Pull Requests” accepts. Undefined for anything but a pull request on github.com.
 */
export function githubPullRequest(link: string | null | undefined): string | undefined {
  const url = safeLink(link);
  if (url?.origin !== 'https://github.com') {
    return undefined;
  }
  const [, owner, name, number] = PATH.exec(url.pathname) ?? [];
  const isName = name !== undefined && name !== '.' && name !== '..';
  return owner === undefined || !isName ? undefined : `${url.origin}/${owner}/${name}/pull/${number ?? ''}`;
}

/** The pull requests on github.com of listed jobs that have ended, newest first. */
export function endedPullRequests(jobs: readonly TrackedJob[]): string[] {
  return jobs
    .filter((job) => isListed(job) && job.endedAt !== undefined)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .map(askedPullRequest)
    .filter((link) => link !== undefined);
}

/**
 * The pull request whose state GitHub is asked for; undefined if the job's service knows the state. Ours do, for each
 * Git host.
 */
export function askedPullRequest({
  location,
  snapshot,
}: Pick<TrackedJob, 'location' | 'snapshot'>): string | undefined {
  const isKnown = location.service === LOCAL_SERVICE || snapshot?.surroundings?.pullRequest !== undefined;
  return isKnown ? undefined : githubPullRequest(snapshot?.prLink);
}

/** “#12”, or “!12” on GitLab; the address if there is no number in it. */
export function pullRequestNumber(link: string): string {
  const { pathname = '' } = safeLink(link) ?? {};
  const [, kind = '', number] = /\/([a-z_-]+)\/([1-9]\d{0,9})(?:\/[a-z]*)?$/.exec(pathname) ?? [];
  return number === undefined ? toLabel(link, MAX_NAME) : `${kind === 'merge_requests' ? '!' : '#'}${number}`;
}

/**
 * Returns true if `given` is the URL of this pull request or of one of its subpages (“/files”, “/diffs”): the URL that
 * a person copies is rarely the one that the service reported.
 */
export function isPullRequestOf(prLink: string | null | undefined, given: string): boolean {
  const [own, other] = [safeLink(prLink), safeLink(given)];
  if (own === undefined || own.origin !== other?.origin) {
    return false;
  }
  const [path, page] = [pathOf(own), pathOf(other)];
  const hasSameQuery = own.search === '' || own.search === other.search;
  return hasSameQuery && path !== '' && (page === path || page.startsWith(`${path}/`));
}

/** Returns true for text that is meant as the URL of a pull request. */
export function looksLikePullRequest(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/**
 * Lowercased, because Git hosts ignore case in owners and repositories. The lookbehind keeps the search for trailing
 * slashes linear: no match attempt starts in the middle of a run of slashes.
 */
function pathOf({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, '').toLowerCase();
}

/** The API of github.com. */
const API = 'https://api.github.com';

/**
 * Queries the state of a pull request with the editor's GitHub session, if the user has signed in and allowed this
 * extension to use it. Never prompts for a sign-in; returns undefined without a session.
 *
 * @param link `https://github.com/OWNER/REPO/pull/N`
 * @param known the state that an unchanged response confirms
 */
export async function askGitHub(
  { clients, redactor }: { clients: LazyClients; redactor: Redactor },
  link: string,
  etag: string | undefined,
  known: PullRequestState | undefined,
): Promise<PullRequestAnswer | undefined> {
  const session = await Promise.resolve(vscode.authentication.getSession('github', ['repo'], { silent: true })).catch(
    () => undefined,
  );
  if (session === undefined) {
    return undefined;
  }
  redactor.add(session.accessToken);
  const path = apiPath(link);
  const [{ readChecks, readPullRequest }, { transport }] = await Promise.all([import('../../client'), clients.load()]);
  const question = { baseUrl: API, path, token: session.accessToken, etag };
  const answer = await readPullRequest(transport, question, Date.now());
  const isOpen = answer.is === 'known' ? answer.state === 'open' : answer.is === 'unchanged' && known === 'open';
  // The state is what matters, so it is reported without the checks if those can't be read.
  return isOpen ? { ...answer, ...(await readChecks(transport, question, Date.now()).catch(() => ({}))) } : answer;
}

export type ThreadsAnswer = Awaited<ReturnType<typeof readReviewThreads>>;

/** Requests the unresolved review comments of a pull request on github.com. Throws ServiceError. */
export async function readGithubThreads(clients: LazyClients, link: string, token: string): Promise<ThreadsAnswer> {
  const [client, { transport }] = await Promise.all([import('../../client'), clients.load()]);
  return client.readReviewThreads(transport, { baseUrl: API, path: apiPath(link), token }, Date.now());
}

function apiPath(link: string): string {
  return new URL(link).pathname.slice(1).replace('/pull/', '/pulls/');
}

export function hasGithubJob({ jobs }: { jobs: readonly TrackedJob[] }): boolean {
  return jobs.some((job) => isListed(job) && isOnGithub(job));
}

export function isOnGithub({ snapshot }: TrackedJob): boolean {
  return snapshot?.prLink?.startsWith('https://github.com/') === true;
}
