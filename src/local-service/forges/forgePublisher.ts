import { coded } from '../../protocol/codedText';
import type { Clock } from '../../base/async';
import type { Logger } from '../../base/logger';
import { branchOf, type Git, GitError } from '../../git/git';
import type { ForgeKind } from '../../protocol/forgeKinds';
import { toEnglish } from '../codedText';
import { bringBranches, folderRepository, knownCommits } from '../git/hostBranches';
import { pushToFolder } from '../git/jobBranch';
import { PushFailure, withPushDirectory } from '../git/pushBranch';
import { UserGit } from '../git/userGit';
import { toPublicUrl } from '../git/userRepository';
import { HostHasMore, TurnFailure } from '../turnFailure';
import { BranchPush } from './branchPush';
import { Credentials, type TokenStore } from './credentials';
import { ForgeHttp } from './forge';
import { pushErrorText } from './forgeErrors';
import { ForgeDetector, siteAddress } from './forges';
import type { BranchToPush, Destination, LookedFor, PushedBranch, Publisher, SeenOnHost } from './publisher';
import { findRemote, type Remote, type RemoteEndpoint, resolveSshAlias, upstreamOf } from './remote';

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
    const { git, log } = this.parts;
    const { signal, hostGit } = sought;
    try {
      const known = await knownCommits(git, sought);
      if (remote.address === undefined || !('folder' in remote.address)) {
        const branch = { ...sought, jobId: '', title: '', commit: known.slice(0, known.indexOf(' ')) };
        return await this.onHost(userGit, remote, branch, (at) => at.look(git, sought, known));
      }
      const upstream = upstreamOf(remote)?.address;
      const folders = [remote.address, ...(upstream === undefined ? [] : [upstream])].flatMap((at) =>
        'folder' in at ? at.folder : [],
      );
      const [own, other] = await Promise.all(folders.map((folder) => folderRepository(git, folder, hostGit)));
      return own === undefined
        ? {}
        : { ...(await bringBranches(git, sought, { known, wanted: remote.base }, own, other)), pullRequest: null };
    } catch (error) {
      signal.throwIfAborted();
      log.warn(`couldn’t see what the remote “${remote.name}” has`, error);
      return {};
    }
  }

  private async push(userGit: UserGit, remote: Remote, branch: BranchToPush): Promise<PushedBranch> {
    const { git, log } = this.parts;
    const { address } = remote;
    const { jobId, hostGit } = branch;
    if (address !== undefined && 'folder' in address) {
      await pushToFolder(git, address.folder, hostGit, branch.branch);
      return { openPullRequest: () => Promise.resolve({ prLink: null }) };
    }
    const pushed = await this.onHost(userGit, remote, branch, (at) => {
      const source = at.credential === undefined ? 'no token' : `token: ${at.credential.source}`;
      log.info(`Job ${jobId}: push to ${at.host}, ${source}`);
      return at.publish();
    }).catch((error: unknown) => {
      if (!(error instanceof PushFailure) || address === undefined) {
        throw error;
      }
      const text = pushErrorText(address.host, branch.branch, address.path, remote.name, error);
      throw error.problem === 'rejected' ? new HostHasMore(text) : new TurnFailure(text);
    });
    return {
      prLink: pushed.link,
      openPullRequest: async (text) => {
        const opened = await pushed.openPullRequest(text);
        if (opened.note !== undefined) {
          log.warn(`Job ${jobId}: ${toEnglish(opened.note)}`);
        }
        return opened;
      },
    };
  }

  /** Uses a branch of a Git host as the user. */
  private async onHost<T>(
    userGit: UserGit,
    remote: Remote,
    branch: BranchToPush,
    use: (at: BranchPush) => Promise<T>,
  ): Promise<T> {
    const { pushFolder, log, limits = {} } = this.parts;
    const { address } = remote;
    const { hostGit, commit, signal } = branch;
    if (address === undefined || 'folder' in address) {
      throw new TurnFailure(coded('remoteElsewhere', { name: remote.name }));
    }
    const { http, credentials } = this;
    const { forge, problem, origin } = await this.detector.detect(address, signal);
    const within = <R>(run: (directory: string) => Promise<R>) => withPushDirectory(pushFolder, hostGit, commit, run);
    const own = () => within((directory) => credentials.own(userGit, directory, address, signal));
    return within(async (directory) => {
      const credential = await credentials.find(userGit, directory, address, signal);
      const at = {
        branch,
        userGit,
        remote,
        address: siteAddress(origin, address),
        forge,
        problem,
        directory,
        http,
        credential,
        own,
      };
      return use(new BranchPush({ ...at, log, pushMs: limits.pushMs }));
    });
  }
}

function originOf({ address }: RemoteEndpoint): string | undefined {
  return address === undefined || 'folder' in address ? undefined : address.origin;
}
