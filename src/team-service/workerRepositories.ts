import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedQueue } from '../base/async';
import { exists, makePrivateFolder, move } from '../base/files';
import { FETCH_REPOSITORY_MS } from '../base/limits';
import type { Logger } from '../base/logger';
import { branchOf, type Git, GitError, type GitPlace, isBranchName, NOT_TRUSTED } from '../git/git';
import { remoteAddress } from '../git/remotes';
import { Credentials, pushTarget, type TokenStore } from '../local-service/forges/credentials';
import type { BranchToPush } from '../local-service/forges/publisher';
import { FETCH, fetchReferences, PushFailure, remoteReferences } from '../local-service/git/pushBranch';
import { gitDirectoryOf } from '../local-service/git/jobBranch';
import { withUploadPack } from '../local-service/git/jobClone';
import { UserGit } from '../local-service/git/userGit';
import { toPublicUrl, UserRepository } from '../local-service/git/userRepository';
import { TurnFailure } from '../local-service/turnFailure';
import type { Job, Project } from '../local-service/store/jobStore';
import { coded } from '../protocol/codedText';

/** Where a repository's own branches are in a clone of it. */
const REMOTE = 'refs/remotes/origin';

/** Where a clone remembers what was pushed, by branch. Unlike what is in `REMOTE`, it stays when the branch is deleted. */
const PUSHED = 'refs/docs-agent/pushed';

/** Where a clone keeps commits that could not be pushed and don't fit the pushed branch, by job. */
const UNPUSHED = 'refs/docs-agent/unpushed';

/**
 * Clones of the projects' repositories, one per project, from which jobs are cloned in turn. Nothing is checked out in
 * them, and no agent ever works in them. The branches of the repository are below `refs/remotes/origin`; `refs/heads`
 * has the default branch and those of jobs, which get each commit before it is pushed.
 */
export class WorkerRepositories {
  private readonly queue = new KeyedQueue();
  private readonly credentials: Credentials;
  private readonly repository: UserRepository;

  constructor(
    private readonly parts: {
      git: Git;
      /** The folder with the clones. */
      folder: string;
      tokens: TokenStore;
      environment: NodeJS.ProcessEnv;
      log: Logger;
    },
  ) {
    this.credentials = new Credentials(parts.environment, parts.tokens);
    this.repository = new UserRepository(parts.git);
  }

  /** The clone's folder. A different address gets a different folder. */
  folderOf({ id, folder: address }: Project): string {
    const hash = createHash('sha256').update(`${id}\n${address}`).digest('hex').slice(0, 24);
    return join(this.parts.folder, hash);
  }

  /** Creates the clone if it is missing, or fetches what is new. Throws TurnFailure, or the signal's reason. */
  async update(project: Project, signal: AbortSignal): Promise<void> {
    const folder = this.folderOf(project);
    await this.queue.run(folder, async () => {
      signal.throwIfAborted();
      try {
        if (!(await exists(folder))) {
          await this.create(project.folder, folder);
        }
        await this.fetch(project.folder, folder, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw this.failure(project, error);
      }
    });
  }

  /**
   * Makes the clone's branch of a job the one that was pushed, unless the clone is further: then a push has failed, and
   * the clone may have the only copy. Returns the branch's commit; undefined if there is none.
   */
  async bringBranch(project: Project, { id, branch }: Pick<Job, 'id' | 'branch'>): Promise<string | undefined> {
    const { git, log } = this.parts;
    const folder = this.folderOf(project);
    const place = placeOf(folder);
    const ref = `refs/heads/${branch}`;
    const [pushed, own] = await Promise.all([commitOf(git, place, `${REMOTE}/${branch}`), commitOf(git, place, ref)]);
    if (pushed === undefined) {
      return own;
    }
    if (own !== undefined && own !== pushed && !(await this.holds(folder, own))) {
      if (await this.repository.isAncestor(folder, pushed, own)) {
        return own;
      }
      // Others have changed the branch since. What they have pushed can't be replaced.
      const kept = `${UNPUSHED}/${id}/${own}`;
      await git.run(place, ['update-ref', kept, own]);
      log.warn(
        `job ${id}: a commit that couldn’t be pushed doesn’t fit the branch anymore; “${folder}” has it as ${kept}`,
      );
    }
    await git.run(place, ['update-ref', ref, pushed]);
    return pushed;
  }

  /** True if the commit was pushed or fetched: that the clone has it in `refs/heads` says nothing about the repository. */
  holds(folder: string, commit: string): Promise<boolean> {
    return this.repository.holds(folder, commit, [REMOTE, PUSHED]);
  }

  /** Notes that a job's branch was pushed. Never throws: otherwise, the next fetch shows it. */
  async notePushed({
    folder,
    branch,
    commit,
  }: { folder: string } & Pick<BranchToPush, 'branch' | 'commit'>): Promise<void> {
    const { git, log } = this.parts;
    await git.run(placeOf(folder), ['update-ref', `${PUSHED}/${branch}`, commit]).catch((error: unknown) => {
      log.warn(`couldn’t note that ${branch} was pushed`, error);
    });
  }

  private async create(address: string, folder: string): Promise<void> {
    const { git } = this.parts;
    await makePrivateFolder(this.parts.folder);
    const unfinished = `${folder}.new`;
    await rm(unfinished, { recursive: true, force: true });
    await git.run({ folder: this.parts.folder }, ['init', '--quiet', '--template=', '--', unfinished]);
    const settings = [
      ['remote.origin.url', address],
      ['remote.origin.fetch', `+refs/heads/*:${REMOTE}/*`],
    ] as const;
    for (const setting of settings) {
      await git.run(placeOf(unfinished), ['config', '--', ...setting]);
    }
    await move(unfinished, folder);
  }

  private async fetch(address: string, folder: string, signal: AbortSignal): Promise<void> {
    const { git } = this.parts;
    const place = placeOf(folder);
    const references = [`+refs/heads/*:${REMOTE}/*`];
    const at = remoteAddress(address, folder);
    if (at === undefined) {
      throw new TurnFailure(coded('remoteElsewhere', { name: 'origin' }));
    }
    let head: string | undefined;
    if ('folder' in at) {
      await withUploadPack(git, (program) =>
        git.run(place, ['fetch', ...FETCH, program, '--', at.folder, ...references], {
          timeoutMs: FETCH_REPOSITORY_MS,
        }),
      );
      const gitDir = await gitDirectoryOf(git, at.folder);
      const remote = { folder: at.folder, ...(gitDir === undefined ? {} : { gitDir }) };
      head = branchOf(await git.run(remote, ['symbolic-ref', '--quiet', 'HEAD']));
    } else {
      const own = await UserGit.in(folder, this.parts.environment);
      const gitDir = join(folder, '.git');
      const login = await this.credentials.find(own, gitDir, at, signal);
      const target = pushTarget(address, login);
      await fetchReferences(own, gitDir, target, references, { timeoutMs: FETCH_REPOSITORY_MS, signal });
      head = (await remoteReferences(own, gitDir, target, ['HEAD'], { signal })).defaultBranch;
    }
    if (head !== undefined && isBranchName(head)) {
      const ref = `refs/heads/${head}`;
      const before = (await git.run(place, ['symbolic-ref', 'HEAD'])).trim();
      await git.run(place, ['symbolic-ref', 'HEAD', ref]);
      if (before !== ref) {
        // There can't be a branch `main/v2` beside `main`.
        await git.run(place, ['update-ref', '-d', before]);
      }
      await git.run(place, ['update-ref', ref, `${REMOTE}/${head}`]);
    }
  }

  private failure(project: Project, error: unknown): unknown {
    if (!(error instanceof GitError) && !(error instanceof PushFailure)) {
      return error;
    }
    const repository = toPublicUrl(project.folder) ?? project.name;
    // Trust alone would not let it push.
    const isOfOther = error instanceof GitError && error.code === NOT_TRUSTED;
    const words = isOfOther
      ? 'its folder belongs to another user. Give the folder to the user that the worker runs as.'
      : error.message;
    return new TurnFailure(coded('repositoryNotFetched', { repository, words }));
  }
}

/** Undefined only if there is no such commit: after any other failure, what a branch has would seem to be nothing. */
async function commitOf(git: Git, place: GitPlace, ref: string): Promise<string | undefined> {
  try {
    return (await git.run(place, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])).trim();
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) {
      return undefined;
    }
    throw error;
  }
}

function placeOf(folder: string): GitPlace {
  return { folder, gitDir: join(folder, '.git') };
}
