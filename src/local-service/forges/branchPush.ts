import type { Logger } from '../../base/logger';
import type { Git } from '../../git/git';
import type { HostedAddress } from '../../git/remotes';
import { type CodedText, coded } from '../../protocol/codedText';
import { bringBranches, hostedRepository } from '../git/hostBranches';
import {
  type Push,
  pushCommit,
  PushFailure,
  type PushTarget,
  remoteLines,
  RemoteReferences,
  remoteReferences,
} from '../git/pushBranch';
import type { UserGit } from '../git/userGit';
import { type Credential, pushTarget, withEither } from './credentials';
import { encodePath, findOrOpen, type Forge, type ForgeApi, type ForgeHttp, type PullRequestSpec } from './forge';
import { CONNECT, ForgeFailure } from './forgeErrors';
import { isPullRequestLink, pullRequestIn, siteAddress } from './forges';
import type { BranchToPush, LookedFor, PublishResult, PullRequestText, SeenOnHost } from './publisher';
import { type Remote, upstreamOf } from './remote';

interface BranchPushParts {
  branch: BranchToPush;
  userGit: UserGit;
  remote: Remote;
  address: HostedAddress;
  /** Undefined for a host of an unknown kind. */
  forge: Forge | undefined;
  /** Why the host's kind couldn't be found out. */
  problem: CodedText | undefined;
  /** A git directory that is not the repository's, for the push. */
  directory: string;
  http: ForgeHttp;
  credential: Credential | undefined;
  /** Finds the user's own credential, for when a given one is rejected. */
  own: () => Promise<Credential | undefined>;
  log: Logger;
  pushMs: number | undefined;
}

/** One branch on a Git host, pushed with one credential. */
export class BranchPush {
  readonly branch: BranchToPush;
  readonly remote: Remote;
  readonly credential: Credential | undefined;
  /** The pull request that the host has opened at the push. */
  link: string | undefined;
  /** The page for opening one that the host has named at the push. */
  private named: string | undefined;

  constructor(private readonly parts: BranchPushParts) {
    ({ branch: this.branch, remote: this.remote, credential: this.credential } = parts);
  }

  /** Pushes the branch. Resolves to the push that succeeded. Throws PushFailure, or the signal's reason. */
  publish(): Promise<BranchPush> {
    const { parts } = this;
    return withEither(this.remote.pushUrl, this.credential, parts.own, (credential) =>
      new BranchPush({ ...parts, credential }).pushAsUsual(),
    );
  }

  /**
   * Looks at the branch, the target branch, and the job's pull request. What the host doesn't tell is left out. Throws
   * only the signal's reason.
   */
  async look(git: Git, sought: LookedFor, known: string): Promise<SeenOnHost> {
    const { forge, problem, address, userGit, directory, own, log } = this.parts;
    const { prLink, signal } = sought;
    const wanted = this.remote.base;
    const pull = prLink === null || forge === undefined ? undefined : pullRequestIn(forge, prLink, address.origin);
    const pullRef = pull && forge?.pullRef?.(pull.number);
    const upstream = upstreamOf(this.remote);
    const failed = (error: unknown): SeenOnHost => {
      signal.throwIfAborted();
      log.warn(`couldn’t see all that ${this.host} has`, error);
      return {};
    };
    const bring = (credential: Credential | undefined): Promise<SeenOnHost> => {
      const [mine, other] = [this.remote, upstream].map(
        (place) =>
          place &&
          hostedRepository({ userGit, directory, known }, pushTarget(place.pushUrl, credential, forge?.login), sought),
      );
      return mine === undefined
        ? Promise.resolve({})
        : bringBranches(git, sought, { known, wanted, pullRef }, mine, other);
    };
    const bringing = withEither(this.remote.pushUrl, this.credential, own, bring).catch(failed);
    const ask = async (): Promise<SeenOnHost> => {
      if (problem !== undefined) {
        return {};
      }
      if (forge === undefined || this.credential === undefined) {
        return { pullRequest: null };
      }
      if (pull !== undefined) {
        const at = { ...address, path: pull.repository };
        const state = await this.ask(forge, at, this.credential, (api) => forge.stateOf(api, pull.number));
        return { pullRequest: { url: pull.url, state } };
      }
      const isForeign = this.upstream !== undefined && forge.opensFromForks !== true;
      if (isForeign || (await bringing).branch == null) {
        return { pullRequest: null };
      }
      // The run that has opened it may have been ended before it could say so.
      const open = await this.ask(forge, this.upstream ?? address, this.credential, async (api) =>
        (await forge.pulls(api, this.spec({ body: '' }))).find(),
      );
      return { pullRequest: open === undefined ? null : { url: open.link, state: 'open' } };
    };
    const [branches, state] = await Promise.all([bringing, ask().catch(failed)]);
    return { ...branches, ...state };
  }

  /** Opens the pull request of the pushed branch, or finds the open one; otherwise returns a note that says why not. */
  async openPullRequest(text: PullRequestText): Promise<PublishResult> {
    const { credential, host, upstream } = this;
    const { forge, address, problem, log } = this.parts;
    if (this.link !== undefined) {
      return { prLink: this.link };
    }
    if (problem !== undefined) {
      return this.withoutPullRequest(coded('hostKindNotFound', { why: problem }));
    }
    if (upstream !== undefined && forge?.opensFromForks !== true) {
      return this.withoutPullRequest(coded('openInUpstream', { repository: upstream.path }));
    }
    if (forge === undefined) {
      return this.withoutPullRequest(coded(this.page === undefined ? 'hostKindUnknown' : 'hostNamedPage'));
    }
    if (credential === undefined) {
      return this.withoutPullRequest(coded('noToken', { connect: CONNECT }));
    }
    const { signal } = this.branch;
    const spec = this.spec(text);
    try {
      return { prLink: await this.ask(forge, upstream ?? address, credential, (api) => findOrOpen(forge, api, spec)) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ForgeFailure) {
        return this.withoutPullRequest(error.coded);
      }
      log.warn(`couldn’t read a response from ${host}`, error);
      return this.withoutPullRequest(coded('answerNotUnderstood', { host }));
    }
  }

  private spec(text: PullRequestText): PullRequestSpec {
    const { branch, title } = this.branch;
    const fork = this.upstream && this.parts.address.path;
    return { branch, fork, base: this.remote.base, title, ...text };
  }

  /** Asks the API about a repository: with a given token, and with the user's own if that one is rejected. */
  private async ask<T>(
    forge: Forge,
    at: HostedAddress,
    credential: Credential,
    use: (api: ForgeApi) => Promise<T>,
  ): Promise<T> {
    const { http, log } = this.parts;
    const { signal } = this.branch;
    const [url, webUrl] = [forge.apiUrl(at.origin), webUrlOf(at)];
    const api = { http, host: this.host, url, repository: at.path, webUrl, log, signal };
    try {
      return await use({ ...api, credential });
    } catch (error) {
      signal.throwIfAborted();
      const isRefused = error instanceof ForgeFailure && (error.status === 401 || error.status === 404);
      const own = isRefused && credential.source === 'given' ? await this.parts.own() : undefined;
      if (own === undefined) {
        throw error;
      }
      return use({ ...api, credential: own });
    }
  }

  /** As users know it. */
  get host(): string {
    return this.parts.address.host;
  }

  /** The title of the pull request on one line. */
  get title(): string {
    return this.branch.title.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  }

  /** The page of the repository that is pushed to. */
  get webUrl(): string {
    return webUrlOf(this.parts.address);
  }

  /** Whether the job has a pull request on this host, whatever the repository was called when it was opened. */
  get hasPullRequest(): boolean {
    const { prLink } = this.branch;
    return this.isOnHost(prLink) && isPullRequestLink(prLink);
  }

  private isOnHost(link: string | null): link is string {
    const { hostname } = new URL(this.parts.address.origin);
    return link !== null && URL.canParse(link) && new URL(link).hostname === hostname;
  }

  /** Pushes the commit, to the job's branch unless another ref is given. Returns what the host printed. */
  push({ ref, options = [] }: Partial<Pick<Push, 'ref' | 'options'>> = {}): Promise<string> {
    const { commit, branch } = this.branch;
    const what = { ...this.limits, commit, ref: ref ?? `refs/heads/${branch}`, options };
    return pushCommit(this.parts.userGit, this.parts.directory, this.target, what);
  }

  references(patterns: readonly string[]): Promise<RemoteReferences> {
    return remoteReferences(this.parts.userGit, this.parts.directory, this.target, patterns, this.limits);
  }

  printedLink(printed: string): string | undefined {
    return printedLink(printed, this.webUrl);
  }

  /** Finds the pull request whose head is this very commit, by the references that the host keeps for pull requests. */
  async linkByReference(prefix: string): Promise<string | undefined> {
    const pullPath = this.parts.forge?.pullPath ?? '/';
    const references = await this.references([`${prefix}*/head`]).catch((error: unknown) => {
      this.branch.signal.throwIfAborted();
      if (error instanceof PushFailure) {
        return new RemoteReferences('');
      }
      throw error;
    });
    const numbers = references.namesOf(this.branch.commit).flatMap((name) => {
      const number = name.startsWith(prefix) ? /^(\d+)\/head$/.exec(name.slice(prefix.length))?.[1] : undefined;
      return number === undefined ? [] : [Number(number)];
    });
    return numbers.length === 0 ? undefined : `${this.webUrl}${pullPath}${Math.max(...numbers)}`;
  }

  private async pushAsUsual(): Promise<this> {
    const { forge } = this.parts;
    const isForeign = this.upstream !== undefined && forge?.opensFromForks !== true;
    const published = isForeign ? undefined : await forge?.openByPush?.(this);
    if (published === undefined) {
      const printed = await this.push();
      this.link = forge === undefined ? this.printedLink(printed) : undefined;
      this.named = printedPage(printed, this.webUrl, this.branch.branch);
    }
    this.link ??= published?.link;
    return this;
  }

  /** The branch was pushed but the pull request is missing. If the job already has one, its link is kept. */
  private withoutPullRequest(why: CodedText): PublishResult {
    const { prLink, branch } = this.branch;
    const { host } = this;
    if (this.hasPullRequest) {
      return { prLink, note: coded('pullRequestNotSeen', { branch, host, why }) };
    }
    const note = coded('pushedWithoutPullRequest', { branch, host, why });
    return { prLink: this.comparePage ?? this.page ?? null, note };
  }

  /** The page for opening a pull request that the host has named at this push or an earlier one. */
  private get page(): string | undefined {
    const { prLink } = this.branch;
    return this.named ?? (this.isOnHost(prLink) ? prLink : undefined);
  }

  private get comparePage(): string | undefined {
    const { forge, address } = this.parts;
    const { branch } = this.branch;
    const upstream = forge?.comparesForks === true ? this.upstream : undefined;
    const forkOwner = upstream && address.path.split('/')[0];
    const webUrl = webUrlOf(upstream ?? address);
    return forge?.comparePage({ webUrl, branch, base: this.remote.base, forkOwner });
  }

  /** The repository that the push target is a fork of. */
  private get upstream(): HostedAddress | undefined {
    const found = upstreamOf(this.remote)?.address;
    return found === undefined || 'folder' in found ? undefined : siteAddress(this.parts.address.origin, found);
  }

  private get target(): PushTarget {
    return pushTarget(this.remote.pushUrl, this.credential, this.parts.forge?.login);
  }

  private get limits(): { timeoutMs: number | undefined; signal: AbortSignal } {
    return { timeoutMs: this.parts.pushMs, signal: this.branch.signal };
  }
}

/**
 * The link to the pull request that the host printed during the push. Links outside the repository are ignored.
 *
 * @param stderr of `git push`
 */
export function printedLink(stderr: string, webUrl: string): string | undefined {
  return linksTo(stderr, webUrl).find((link) => isPullRequestLink(link) && isWithin(webUrl, link));
}

/**
 * The page that the host printed during the push, where the user opens the pull request of a branch.
 *
 * @param stderr of `git push`
 */
export function printedPage(stderr: string, webUrl: string, branch: string): string | undefined {
  const links = linksTo(stderr, webUrl).filter((link) => /^https:/i.test(link) || link.startsWith(`${webUrl}/`));
  const names = (link: string): boolean => link.replaceAll(/%2f/gi, '/').includes(branch);
  return links.find(names) ?? links.find((link) => isWithin(webUrl, link));
}

/** The links to the host that it printed itself. */
function linksTo(stderr: string, webUrl: string): string[] {
  const links = remoteLines(stderr).flatMap((line) => line.match(/https?:\/\/\S+/g) ?? []);
  const { hostname } = new URL(webUrl);
  const isOwn = (url: URL): boolean => url.hostname === hostname && url.username === '' && url.password === '';
  return links.filter((link) => URL.canParse(link) && isOwn(new URL(link)));
}

function isWithin(webUrl: string, link: string): boolean {
  return new URL(link).pathname.startsWith(`${new URL(webUrl).pathname}/`);
}

function webUrlOf({ origin, path }: HostedAddress): string {
  return `${origin}/${encodePath(path)}`;
}
