import { type CodedText, coded } from '../../protocol/codedText';
import type { Clock } from '../../base/async';
import type { Logger } from '../../base/logger';
import { branchOf, type Git, GitError } from '../../git/git';
import type { ForgeKind } from '../../protocol/forgeKinds';
import { toEnglish } from '../codedText';
import { pushToFolder } from '../git/jobBranch';
import {
  withPushDirectory,
  type Push,
  pushCommit,
  type PushTarget,
  RemoteReferences,
  remoteReferences,
  PushFailure,
  remoteLines,
} from '../git/pushBranch';
import { UserGit } from '../git/userGit';
import { toPublicUrl } from '../git/userRepository';
import { HostHasMore, TurnFailure } from '../turnFailure';
import { Credentials, type TokenStore, type Credential, pushTarget, withEither } from './credentials';
import { pushErrorText, CONNECT, ForgeFailure } from './forgeErrors';
import { ForgeHttp, encodePath, type Forge } from './forge';
import { ForgeDetector, isPullRequestLink, siteAddress } from './forges';
import { findRemote, type Remote, type RemoteEndpoint, resolveSshAlias, upstreamOf } from './remote';
import { lookAtFolder, lookAtHost } from './lookAtHost';
import type {
  BranchToPush,
  Destination,
  LookedFor,
  SeenOnHost,
  PublishResult,
  PullRequestText,
  PushedBranch,
  Publisher,
} from './publisher';
import type { HostedAddress } from '../../git/remotes';

/** Time limits, in milliseconds. */
export interface PublishLimits {
  pushMs?: number;
  requestMs?: number;
  credentialMs?: number;
}

/** Pushes a job's branch to the remote of the user's repository, as the user, and opens the pull request there. */
export class ForgePublisher implements Publisher {
  private readonly http: ForgeHttp;
  private readonly detector: ForgeDetector;
  private readonly credentials: Credentials;

  constructor(
    private readonly parts: {
      git: Git;
      tokens: TokenStore;
      /** Holds only the temporary directories that are pushed from. */
      pushFolder: string;
      /** The user's environment. */
      environment: NodeJS.ProcessEnv;
      log: Logger;
      clock: Clock;
      limits?: PublishLimits;
    },
  ) {
    const { environment, tokens, clock, limits = {} } = parts;
    this.http = new ForgeHttp(environment, limits.requestMs);
    this.detector = new ForgeDetector(this.http, clock);
    this.credentials = new Credentials(environment, tokens, limits.credentialMs);
  }

  async destination(folder: string, baseBranch: string | null, signal: AbortSignal): Promise<Destination | undefined> {
    const userGit = await UserGit.in(folder, this.parts.environment);
    const remote = await this.remoteOf(userGit, folder, baseBranch, signal);
    if (remote === undefined) {
      return undefined;
    }
    const { name, pushUrl, references, upstream } = remote;
    const isFork =
      upstream !== undefined && originOf(upstream) !== undefined && originOf(upstream) === originOf(remote);
    return {
      name,
      url: toPublicUrl(pushUrl) ?? null,
      references: [...references, ...(isFork ? upstream.references : [])],
      look: (sought) => this.look(userGit, remote, sought),
      push: (branch) => this.push(userGit, remote, branch),
    };
  }

  /**
   * The Git host of the repository in a folder, so that the editor knows which token to send. Undefined if there is no
   * remote, or if the remote is a folder or has no usable address.
   */
  async hostOf(
    folder: string,
    signal = AbortSignal.timeout(30_000),
  ): Promise<{ host: string; kind: ForgeKind | 'unknown' } | undefined> {
    const userGit = await UserGit.in(folder, this.parts.environment);
    const head = await this.parts.git.run({ folder }, ['symbolic-ref', '--quiet', 'HEAD']).catch(() => '');
    const remote = await this.remoteOf(userGit, folder, branchOf(head) || null, signal);
    if (remote?.address === undefined || 'folder' in remote.address) {
      return undefined;
    }
    const { forge } = await this.detector.detect(remote.address, signal);
    return { host: remote.address.host, kind: forge?.kind ?? 'unknown' };
  }

  /** Aborts pending requests. */
  close(): Promise<void> {
    return this.http.close();
  }

  private async remoteOf(
    userGit: UserGit,
    folder: string,
    baseBranch: string | null,
    signal: AbortSignal,
  ): Promise<Remote | undefined> {
    try {
      const remote = await findRemote(this.parts.git, userGit.settings, folder, baseBranch);
      const real = <T extends RemoteEndpoint>(place: T) => resolveSshAlias(place, this.parts.environment, signal);
      return remote && { ...(await real(remote)), upstream: remote.upstream && (await real(remote.upstream)) };
    } catch (error) {
      const words = error instanceof GitError ? error.message : undefined;
      throw words === undefined ? error : new TurnFailure(coded('remoteNotRead', { words }));
    }
  }

  private async look(userGit: UserGit, remote: Remote, sought: LookedFor): Promise<SeenOnHost> {
    const { git, log, pushFolder } = this.parts;
    const { address } = remote;
    const { signal } = sought;
    try {
      if (address === undefined) {
        return {};
      }
      if ('folder' in address) {
        return await lookAtFolder(git, remote, sought);
      }
      const { http, credentials } = this;
      const { forge, origin } = await this.detector.detect(address, signal);
      return await lookAtHost(
        { git, userGit, remote, address, forge, origin, pushFolder, http, credentials, log },
        sought,
      );
    } catch (error) {
      signal.throwIfAborted();
      log.warn(`couldn’t see what the remote “${remote.name}” has`, error);
      return {};
    }
  }

  private async push(userGit: UserGit, remote: Remote, branch: BranchToPush): Promise<PushedBranch> {
    const { git, pushFolder, log, limits = {} } = this.parts;
    const { address } = remote;
    const { jobId, hostGit, commit, signal } = branch;
    if (address === undefined) {
      throw new TurnFailure(coded('remoteElsewhere', { name: remote.name }));
    }
    if ('folder' in address) {
      await pushToFolder(git, address.folder, hostGit, branch.branch);
      return { openPullRequest: () => Promise.resolve({ prLink: null }) };
    }
    const { http, credentials } = this;
    const { forge, origin } = await this.detector.detect(address, signal);
    const within = <T>(use: (directory: string) => Promise<T>) =>
      withPushDirectory(git, pushFolder, hostGit, commit, use);
    const own = () => within((directory) => credentials.own(userGit, directory, address, signal));
    const pushed = await within(async (directory) => {
      const credential = await credentials.find(userGit, directory, address, signal);
      log.info(`Job ${jobId}: push to ${address.host}, ${credential ? `token: ${credential.source}` : 'no token'}`);
      const at = {
        branch,
        userGit,
        remote,
        address: siteAddress(origin, address),
        forge,
        directory,
        http,
        credential,
        own,
        log,
      };
      return new BranchPush({ ...at, pushMs: limits.pushMs }).publish();
    }).catch((error: unknown) => {
      if (!(error instanceof PushFailure)) {
        throw error;
      }
      const text = pushErrorText(address.host, branch.branch, address.path, remote.name, error);
      throw error.problem === 'rejected' ? new HostHasMore(text) : new TurnFailure(text);
    });
    return {
      openPullRequest: async (text) => {
        const opened = await pushed.openPullRequest(text);
        if (opened.note !== undefined) {
          log.warn(`Job ${jobId}: ${toEnglish(opened.note)}`);
        }
        return opened;
      },
    };
  }
}

function originOf({ address }: RemoteEndpoint): string | undefined {
  return address === undefined || 'folder' in address ? undefined : address.origin;
}

interface BranchPushParts {
  branch: BranchToPush;
  userGit: UserGit;
  remote: Remote;
  address: HostedAddress;
  /** Undefined for a host of an unknown kind. */
  forge: Forge | undefined;
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
  private link: string | undefined;
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

  /** Opens the pull request of the pushed branch, or finds the open one; otherwise returns a note that says why not. */
  async openPullRequest(text: PullRequestText, credential = this.credential): Promise<PublishResult> {
    const { forge, address, http, log } = this.parts;
    if (this.link !== undefined) {
      return { prLink: this.link };
    }
    const upstream = this.upstream;
    if (upstream !== undefined && forge?.opensFromForks !== true) {
      return this.withoutPullRequest(coded('openInUpstream', { repository: upstream.path }));
    }
    if (forge === undefined) {
      return this.withoutPullRequest(coded(this.page === undefined ? 'hostKindUnknown' : 'hostNamedPage'));
    }
    if (credential === undefined) {
      return this.withoutPullRequest(coded('noToken', { connect: CONNECT }));
    }
    const { branch, title, signal } = this.branch;
    const { host, path: repository } = upstream ?? address;
    const fork = upstream && address.path;
    const url = forge.apiUrl(address.origin);
    try {
      const api = { http, host, url, repository, webUrl: webUrlOf(upstream ?? address), credential, log, signal };
      return { prLink: await forge.open(api, { branch, fork, base: this.remote.base, title, ...text }) };
    } catch (error) {
      signal.throwIfAborted();
      const failure = error instanceof ForgeFailure ? error : undefined;
      const isRefused = failure?.status === 401 || failure?.status === 404;
      const own = isRefused && credential.source === 'given' ? await this.parts.own() : undefined;
      return own === undefined
        ? this.withoutPullRequest(failure?.coded ?? coded('answerNotUnderstood', { host }))
        : this.openPullRequest(text, own);
    }
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
    const { host } = this.parts.address;
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

export function webUrlOf({ origin, path }: HostedAddress): string {
  return `${origin}/${encodePath(path)}`;
}
