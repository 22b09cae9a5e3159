import { type CodedText, coded } from '../../protocol/codedText';
import type { Clock } from '../../base/async';
import type { Logger } from '../../base/logger';
import { type Git, GitError } from '../../git/git';
import type { ForgeKind } from '../../protocol/forgeKinds';
import { toEnglish } from '../codedText';
import { pushToFolder } from '../git/publishBranch';
import { withPushDirectory } from '../git/pushBranch';
import { PushFailure } from '../git/pushFailure';
import { UserGit } from '../git/userGit';
import { toPublicUrl } from '../git/userRepository';
import { TurnFailure } from '../turnFailure';
import { BranchPush } from './branchPush';
import { Credentials, type TokenStore } from './credentials';
import { pushErrorText } from './forgeErrors';
import { ForgeHttp } from './forgeHttp';
import { ForgeDetector } from './forges';
import { findRemote, type Remote, type RemoteEndpoint, resolveSshAlias } from './remote';

/** A job's branch with a new commit. */
export interface BranchToPush {
  jobId: string;
  /** The service's own bare git directory, which holds the branch. */
  hostGit: string;
  /** Without `refs/heads/`. */
  branch: string;
  commit: string;
  /** The first line of the pull request: some hosts open it at the push. */
  title: string;
  /** The link that the job already has; null before the first publication. */
  prLink: string | null;
  signal: AbortSignal;
}

export interface PullRequestText {
  /** Markdown. */
  body: string;
  /** The part of the body that says what the check of the added lines has found; undefined if it has none. */
  check?: string | undefined;
}

/** The result of a publication. */
export interface PublishResult {
  /** The pull request, or the page where the user opens one; null if the remote has neither. */
  prLink: string | null;
  /** What the user should know: that the branch was pushed but no pull request could be opened, and why. */
  note?: CodedText;
}

/** A branch that was pushed. */
export interface PushedBranch {
  /** Idempotent: the branch's open pull request is reused. Throws only the signal's reason. */
  openPullRequest(text: PullRequestText): Promise<PublishResult>;
}

/** Where a job's branch is pushed. */
export interface Destination {
  /** The name of the remote. */
  name: string;
  /** Its URL without credentials; null if that isn't known. */
  url: string | null;
  /** Patterns of the references for what it has, and for what the repository has that it is a fork of. */
  references: string[];
  /** Idempotent. Throws TurnFailure if the branch could not be pushed, or the signal's reason. */
  push(branch: BranchToPush): Promise<PushedBranch>;
}

/** Knows the remotes of repositories. */
export interface Publisher {
  /**
   * The remote that the work on a branch is pushed to; undefined if there is none. Throws TurnFailure, or the signal's
   * reason.
   *
   * @param folder the user's work tree, whose remote and git configuration determine the target and the identity
   * @param baseBranch the branch that the work started from, without `refs/heads/`; null when detached
   */
  destination(folder: string, baseBranch: string | null, signal: AbortSignal): Promise<Destination | undefined>;
}

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
    const head = await this.parts.git.run({ folder }, ['symbolic-ref', '--quiet', '--short', 'HEAD']).catch(() => '');
    const remote = await this.remoteOf(userGit, folder, head.trim() || null, signal);
    if (remote?.address === undefined || 'folder' in remote.address) {
      return undefined;
    }
    const forge = await this.detector.detect(remote.address.origin, signal);
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
    const forge = await this.detector.detect(address.origin, signal);
    const within = <T>(use: (directory: string) => Promise<T>) =>
      withPushDirectory(git, pushFolder, hostGit, commit, use);
    const own = () => within((directory) => credentials.own(userGit, directory, address, signal));
    const pushed = await within(async (directory) => {
      const credential = await credentials.find(userGit, directory, address, signal);
      log.info(`Job ${jobId}: push to ${address.host}, ${credential ? `token: ${credential.source}` : 'no token'}`);
      const at = { branch, userGit, remote, address, forge, directory, http, credential, own, log };
      return new BranchPush({ ...at, pushMs: limits.pushMs }).publish();
    }).catch((error: unknown) => {
      throw error instanceof PushFailure
        ? new TurnFailure(pushErrorText(address.host, branch.branch, address.path, remote.name, error))
        : error;
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
