import * as vscode from 'vscode';
import type { Redactor } from '../../base/redact';
import type { PullRequestAnswer } from '../../client';
import { LOCAL_SERVICE } from '../../jobs/events';
import { isListed, type TrackedJob } from '../../jobs/trackedJob';
import { isReviewLink } from '../../protocol/localKey';
import type { LazyClients } from './clients';
import { isLoopback } from './serviceAccess';

/** What no address has in it, or at its beginning: browsers and the editor do not agree on what it means. */
const UNLIKE_ADDRESS = /[\s\\\p{Cc}\p{Cf}]|^(?!https?:\/\/[^/])|^[^/]*\/\/[^/?#]*@/iu;

/**
 * Returns the address when a browser may be sent to it: https, or http on this machine (the local service's review
 * page), without user info, which can make one host look like another, and without anything that a parser of addresses
 * would take out or turn round, or that can't be seen: what is opened is the text itself.
 */
export function safeLink(link: string | null | undefined): URL | undefined {
  if (link == null || UNLIKE_ADDRESS.test(link) || !URL.canParse(link)) {
    return undefined;
  }
  const url = new URL(link);
  const web = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return web && url.username === '' && url.password === '' && url.hostname !== '' ? url : undefined;
}

/**
 * The id of a job whose link is a review page of the local service. Its address opens nothing by itself, and whoever has the
 * port now may be another program: the page is opened by asking the service (see `openPullRequest`).
 */
export function localReview({ home, snapshot }: Pick<TrackedJob, 'home' | 'snapshot'>): string | undefined {
  const { id = '', prLink = null } = snapshot ?? {};
  return home.service === LOCAL_SERVICE && prLink !== null && isReviewLink(prLink, id) ? id : undefined;
}

/** The pages of a pull request, at which a link may point. */
const PAGES = 'files|changes|commits|checks|conflicts';

const PATH = new RegExp(
  `^/([A-Za-z0-9_-]{1,39})/([A-Za-z0-9._-]{1,100})/pull/([1-9][0-9]{0,9})(?:/(?:${PAGES})(?:/.*)?)?/?$`,
);

/**
 * The one form in which the extension “GitHub Pull Requests” takes a link, `https://github.com/OWNER/REPO/pull/N`: without
 * page, query and fragment. Undefined for whatever is no pull request on github.com.
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

/** Those of the jobs in the list that have ended, newest first. */
export function endedPullRequests(jobs: readonly TrackedJob[]): string[] {
  return jobs
    .filter((job) => isListed(job) && job.endedAt !== undefined)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .map((job) => githubPullRequest(job.snapshot?.prLink))
    .filter((link) => link !== undefined);
}

/**
 * True when `given` is the address of this pull request, or of a page of it (“/files”, “/diffs”): what a person copies is
 * seldom the address that the service told.
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

/** True for what is meant as the address of a pull request. */
export function looksLikePullRequest(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/**
 * Owners and repositories are the same in small and capital letters on every code host. The lookbehind keeps the search
 * for slashes at the end linear: no attempt starts in the middle of a run of them.
 */
function pathOf({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, '').toLowerCase();
}

/** The API of github.com. */
const API = 'https://api.github.com';

/**
 * Asks GitHub how a pull request stands, in the name of the user who has signed in to the editor and has let this
 * extension use it. Nobody is ever asked to sign in for this: then it answers undefined.
 *
 * @param link `https://github.com/OWNER/REPO/pull/N`
 */
export async function askGitHub(
  { clients, redactor }: { clients: LazyClients; redactor: Redactor },
  link: string,
  etag: string | undefined,
): Promise<PullRequestAnswer | undefined> {
  const session = await Promise.resolve(vscode.authentication.getSession('github', ['repo'], { silent: true })).catch(
    () => undefined,
  );
  if (session === undefined) {
    return undefined;
  }
  redactor.add(session.accessToken);
  const path = new URL(link).pathname.slice(1).replace('/pull/', '/pulls/');
  const [{ readPullRequest }, { transport }] = await Promise.all([import('../../client'), clients.load()]);
  return readPullRequest(transport, { baseUrl: API, path, token: session.accessToken, etag }, Date.now());
}
