import { type Push, pushCommit, type PushTarget, remoteReferences } from '../git/pushBranch';
import { PushFailure, type PushProblem } from '../git/pushFailure';
import type { UserGit } from '../git/userGit';
import type { Credential } from './credentials';
import { CONNECT, forgeFailure } from './forgeFailure';
import type { ForgeHttp } from './forgeHttp';
import type { ForgeKind } from './hostKind';
import type { Publication, Published } from './publisher';
import { compareLink, isPullRequestLink, printedLink } from './pullRequestLinks';
import { apiUrl, loginName, openPullRequest } from './pullRequests';
import type { Remote } from './remote';
import type { HostedAddress } from '../../git/remoteAddress';

/** One publication, and the place on a code host that it goes to. */
export interface PushPlace {
  publication: Publication;
  userGit: UserGit;
  remote: Remote;
  address: HostedAddress;
  kind: ForgeKind;
  /** A git directory that is not the repository's. */
  directory: string;
}

/** The same with what it takes to do it. */
export interface ForgePush extends PushPlace {
  http: ForgeHttp;
  credential: Credential | undefined;
  /** The user's own, for where one that was given opens no door. */
  own: () => Promise<Credential | undefined>;
  pushMs: number | undefined;
}

/**
 * Pushes and opens; where a token that was given does not open the door, once more with what the user has for git. A
 * host may say of a repository that it does not show that there is none. Throws PushFailure when the branch did not get
 * there, or the signal's reason.
 */
export async function forgePush(push: ForgePush): Promise<Published> {
  try {
    return await pushAndOpen(push);
  } catch (error) {
    const isShut = isPushFailure(error, ['authentication', 'notFound']);
    if (push.credential?.source !== 'given' || targetOf(push).login === undefined || !isShut) {
      throw error;
    }
    const credential = await push.own();
    return pushAndOpen({ ...push, credential }).catch((second: unknown) => {
      throw credential === undefined && isPushFailure(second, ['authentication']) ? error : second;
    });
  }
}

function isPushFailure(error: unknown, problems: readonly PushProblem[]): boolean {
  return error instanceof PushFailure && problems.includes(error.problem);
}

async function pushAndOpen(push: ForgePush): Promise<Published> {
  const upstream = upstreamOf(push);
  if (upstream !== undefined && push.kind !== 'github') {
    await pushWith(push, {});
    return withoutRequest(push, `Open it in ${upstream.path}, whose branch the work started from.`);
  }
  // What a credential helper has may be for pushes alone.
  if (push.credential?.source !== 'given' && push.kind === 'gitlab') {
    return pushToGitLab(push, push.credential);
  }
  if (push.kind === 'gitea' && (await isForReview(push))) {
    return pushForReview(push);
  }
  await pushWith(push, {});
  if (push.kind === 'unknown') {
    return {
      prLink: null,
      note: noted(push, 'It is no kind of code host that is known here. Open it there yourself.'),
    };
  }
  if (push.credential === undefined) {
    return withoutRequest(push, `There is no token for it. ${CONNECT}, then send a follow-up.`);
  }
  return openWithToken(push, push.kind, push.credential);
}

async function openWithToken(
  push: ForgePush,
  kind: Exclude<ForgeKind, 'unknown'>,
  credential: Credential,
): Promise<Published> {
  const { publication, address, http, remote } = push;
  const { branch, title, body, signal } = publication;
  const url = apiUrl(kind, address.origin);
  const upstream = upstreamOf(push);
  const { host, path: repository } = upstream ?? address;
  const fork = upstream && address.path;
  try {
    const api = { http, host, url, repository, webUrl: webUrlAt(upstream ?? address), credential, signal };
    return { prLink: await openPullRequest(kind, api, { branch, fork, base: remote.base, title, body }) };
  } catch (error) {
    signal.throwIfAborted();
    const failure = forgeFailure(error);
    const isShut = failure?.status === 401 || failure?.status === 404;
    const own = isShut && credential.source === 'given' ? await push.own() : undefined;
    if (own !== undefined) {
      return openWithToken(push, kind, own);
    }
    const why = failure?.message ?? `${host} gave an answer that makes no sense. Send a follow-up to try again.`;
    return withoutRequest(push, why);
  }
}

/**
 * GitLab opens the merge request itself when a push says so. https://docs.gitlab.com/topics/git/commit/#push-options
 * A push that changes nothing says nothing: after one that was cut off the merge request is found by its reference.
 */
async function pushToGitLab(push: ForgePush, credential: Credential | undefined): Promise<Published> {
  const { publication, remote } = push;
  const target = remote.base === null ? [] : [`merge_request.target=${remote.base}`];
  const wishes = [...target, `merge_request.title=${oneLine(publication.title)}`];
  // They would overwrite what somebody has set in one that is there.
  const isThere = publication.prLink !== null && isPullRequestAt(publication.prLink, push.address);
  const options = ['merge_request.create', ...(isThere ? [] : wishes)];
  const printed = await pushWith(push, { options }).catch((error: unknown) => {
    if (error instanceof PushFailure && error.problem === 'noOptions') {
      return pushWith(push, {});
    }
    throw error;
  });
  const link =
    printedLink(printed, webUrlOf(push)) ?? (await linkByReference(push, 'refs/merge-requests/', '/-/merge_requests/'));
  if (link !== undefined) {
    return { prLink: link };
  }
  return credential === undefined
    ? withoutRequest(push, `There is no token for it. ${CONNECT}, then send a follow-up.`)
    : openWithToken(push, 'gitlab', credential);
}

/**
 * Whether the changes go to Gitea or Forgejo without a branch: so where there is no token, unless the branch is there
 * already, and where an earlier turn began that way, so that a follow-up adds to the same pull request.
 */
async function isForReview(push: ForgePush): Promise<boolean> {
  const { branch, prLink } = push.publication;
  if (push.credential !== undefined && (prLink === null || !isPullRequestLink(prLink))) {
    return false;
  }
  const ref = `refs/heads/${branch}`;
  return !(await referencesOf(push, [ref])).has(ref);
}

/**
 * A push to `refs/for/<base>` opens a pull request, and with the same topic adds commits to it.
 * https://docs.gitea.com/usage/agit and https://forgejo.org/docs/latest/user/agit-support/
 */
async function pushForReview(push: ForgePush): Promise<Published> {
  const { publication, remote } = push;
  const { branch, commit, title } = publication;
  const known = await linkByReference(push, 'refs/pull/', '/pulls/');
  if (known !== undefined) {
    return { prLink: known };
  }
  const base = remote.base ?? (await defaultBranch(push)) ?? 'main';
  const options = [`topic=${branch}`, `title=${oneLine(title)}`];
  try {
    const printed = await pushWith(push, { ref: `refs/for/${base}`, options });
    const link = printedLink(printed, webUrlOf(push)) ?? (await linkByReference(push, 'refs/pull/', '/pulls/'));
    return { prLink: link ?? publication.prLink ?? `${webUrlOf(push)}/pulls` };
  } catch (error) {
    const isRefused = error instanceof PushFailure && ['declined', 'noOptions', 'other'].includes(error.problem);
    if (!isRefused || (publication.prLink !== null && isPullRequestLink(publication.prLink))) {
      throw error;
    }
    // Switched off there, or no such base: a branch, as everywhere else.
    await pushCommit(push.userGit, push.directory, targetOf(push), {
      ...limitsOf(push),
      commit,
      ref: `refs/heads/${branch}`,
    });
    return withoutRequest(push, `There is no token for it. ${CONNECT}, then send a follow-up.`);
  }
}

/** The pull request whose head is this very commit, by the references that the host keeps of pull requests. */
async function linkByReference(push: ForgePush, prefix: string, path: string): Promise<string | undefined> {
  const references = await referencesOf(push, [`${prefix}*/head`]).catch((error: unknown) => {
    push.publication.signal.throwIfAborted();
    if (error instanceof PushFailure) {
      return new Map<string, string>();
    }
    throw error;
  });
  const numbers = [...references].flatMap(([name, id]) => {
    const number = name.startsWith(prefix) ? /^(\d+)\/head$/.exec(name.slice(prefix.length))?.[1] : undefined;
    return number !== undefined && id === push.publication.commit ? [Number(number)] : [];
  });
  return numbers.length === 0 ? undefined : `${webUrlOf(push)}${path}${Math.max(...numbers)}`;
}

async function defaultBranch(push: ForgePush): Promise<string | undefined> {
  const references = await referencesOf(push, ['HEAD', 'refs/heads/*']);
  const head = references.get('HEAD');
  const names = [...references]
    .filter(([name, id]) => name.startsWith('refs/heads/') && id === head)
    .map(([name]) => name);
  return (names.find((name) => /\/(main|master)$/.test(name)) ?? names[0])?.slice('refs/heads/'.length);
}

function referencesOf(push: ForgePush, patterns: readonly string[]): Promise<Map<string, string>> {
  return remoteReferences(push.userGit, push.directory, targetOf(push), patterns, limitsOf(push));
}

function pushWith(push: ForgePush, { ref, options = [] }: Partial<Push>): Promise<string> {
  const { userGit, directory, publication } = push;
  const what = {
    ...limitsOf(push),
    commit: publication.commit,
    ref: ref ?? `refs/heads/${publication.branch}`,
    options,
  };
  return pushCommit(userGit, directory, targetOf(push), what);
}

function targetOf({ remote, credential, kind }: ForgePush): PushTarget {
  const url = remote.pushUrl;
  if (credential === undefined || credential.source === 'helper' || !/^https?:/i.test(url)) {
    // Git asks the helper itself.
    return { url };
  }
  const username = credential.username ?? loginName(kind);
  return { url, login: { username, password: credential.token } };
}

function limitsOf({ pushMs: timeoutMs, publication: { signal } }: ForgePush) {
  return { timeoutMs, signal };
}

/** The branch is there; what is missing is the pull request. One that the job has already stays its link. */
function withoutRequest(push: ForgePush, why: string): Published {
  const { prLink, branch } = push.publication;
  const kept = prLink !== null && isPullRequestAt(prLink, push.address) ? prLink : undefined;
  if (kept !== undefined) {
    const { host } = push.address;
    const note = `Whether the pull request of ${branch} is still open could not be seen; its commits are on ${host}. ${why}`;
    return { prLink: kept, note };
  }
  return { prLink: comparePage(push) ?? null, note: noted(push, why) };
}

/** On that host; under whatever name the repository had when it was opened. */
function isPullRequestAt(link: string, { origin }: HostedAddress): boolean {
  return isPullRequestLink(link) && URL.canParse(link) && new URL(link).hostname === new URL(origin).hostname;
}

function noted({ publication, address }: ForgePush, why: string): string {
  return `The branch ${publication.branch} is on ${address.host}, but no pull request was opened. ${why}`;
}

function comparePage(push: ForgePush): string | undefined {
  const { kind, address, remote, publication } = push;
  const upstream = kind === 'github' || kind === 'gitea' ? upstreamOf(push) : undefined;
  const owner = upstream && address.path.split('/')[0];
  return compareLink(kind, webUrlAt(upstream ?? address), publication.branch, remote.base, owner);
}

/** The repository that the one pushed to is a fork of, on the same host; undefined where that is the one itself. */
function upstreamOf({ remote, address }: ForgePush): HostedAddress | undefined {
  const upstream = remote.upstream?.address;
  if (upstream === undefined || 'folder' in upstream || upstream.origin !== address.origin) {
    return undefined;
  }
  return upstream.path.toLowerCase() === address.path.toLowerCase() ? undefined : upstream;
}

function webUrlOf({ address }: ForgePush): string {
  return webUrlAt(address);
}

function webUrlAt({ origin, path }: HostedAddress): string {
  return `${origin}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}
