import { type CodedText, coded } from '../../protocol/codedText';
import type { Clock } from '../../base/async';
import type { Logger } from '../../base/logger';
import { type Git, GitError } from '../../git/git';
import type { HostedAddress } from '../../git/remotes';
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
import type { Forge } from './forge';
import { pushErrorText } from './forgeErrors';
import { ForgeHttp } from './forgeHttp';
import { ForgeDetector } from './forges';
import { findRemote, type Remote, type RemoteEndpoint, resolveSshAlias } from './remote';

/** A pull request to open, or to update with another commit. */
export interface Publication {
  jobId: string;
  /** The user's work tree, whose remote and git configuration determine the target and the identity. */
  folder: string;
  /** The service's own bare git directory, which holds the branch. */
  hostGit: string;
  /** The job's branch, without `refs/heads/`. */
  branch: string;
  commit: string;
  /** The branch that the work started from, without `refs/heads/`; null when detached. */
  baseBranch: string | null;
  /** First line of the pull request. */
  title: string;
  /** Markdown. */
  body: string;
  /** The part of the body that says what the check of the added lines has found; undefined if it has none. */
  check?: string | undefined;
  /** The link that the job already has; null before the first publication. */
  prLink: string | null;
  signal: AbortSignal;
}

/** The result of a publication. */
export interface PublishResult {
  /** The pull request, or the page where the user opens one; null if the remote has neither, or there is none. */
  prLink: string | null;
  /** What the user should know: that the branch was pushed but no pull request could be opened, and why. */
  note?: CodedText;
}

/** Where a job's branch is pushed. */
export interface Destination {
  /** The name of the remote. */
  name: string;
  /** Its URL without credentials; null if that isn't known. */
  url: string | null;
  /** Patterns of the references for what it has, and for what the repository has that it is a fork of. */
  references: string[];
}

/** Pushes a job's branch to the Git host and opens the pull request there. */
export interface Publisher {
  /**
   * The remote that the work on a branch is pushed to; undefined if there is none. Throws TurnFailure, or the signal's
   * reason.
   */
  destination(folder: string, baseBranch: string | null, signal: AbortSignal): Promise<Destination | undefined>;

  /**
   * Idempotent: the branch's open pull request is reused, and "already exists" counts as success. Throws TurnFailure if
   * the branch could not be pushed, or the signal's reason.
   */
  publish(publication: Publication): Promise<PublishResult>;
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
    };
  }

  async publish(publication: Publication): Promise<PublishResult> {
    const { folder, baseBranch, branch, hostGit, commit, signal } = publication;
    const userGit = await UserGit.in(folder, this.parts.environment);
    const remote = await this.remoteOf(userGit, folder, baseBranch, signal);
    signal.throwIfAborted();
    if (remote === undefined) {
      return { prLink: null };
    }
    const { address } = remote;
    if (address === undefined) {
      throw new TurnFailure(coded('remoteElsewhere', { name: remote.name }));
    }
    if ('folder' in address) {
      await pushToFolder(this.parts.git, address.folder, hostGit, branch);
      return { prLink: null };
    }
    const forge = await this.detector.detect(address.origin, signal);
    return withPushDirectory(this.parts.git, this.parts.pushFolder, hostGit, commit, (directory) =>
      this.publishAt({ publication, userGit, remote, address, forge, directory }),
    );
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

  private async publishAt(at: {
    publication: Publication;
    userGit: UserGit;
    remote: Remote;
    address: HostedAddress;
    forge: Forge | undefined;
    directory: string;
  }): Promise<PublishResult> {
    const { publication, address, userGit, directory } = at;
    const { http, credentials } = this;
    const { log, limits = {} } = this.parts;
    const { signal } = publication;
    const credential = await credentials.find(userGit, directory, address, signal);
    const own = () => credentials.own(userGit, directory, address, signal);
    log.info(
      `Job ${publication.jobId}: push to ${address.host}, ${credential ? `token: ${credential.source}` : 'no token'}`,
    );
    try {
      const published = await new BranchPush({ ...at, http, credential, own, log, pushMs: limits.pushMs }).publish();
      if (published.note !== undefined) {
        log.warn(`Job ${publication.jobId}: ${toEnglish(published.note)}`);
      }
      return published;
    } catch (error) {
      if (error instanceof PushFailure) {
        throw new TurnFailure(pushErrorText(address.host, publication.branch, address.path, at.remote.name, error));
      }
      throw error;
    }
  }
}

function originOf({ address }: RemoteEndpoint): string | undefined {
  return address === undefined || 'folder' in address ? undefined : address.origin;
}
