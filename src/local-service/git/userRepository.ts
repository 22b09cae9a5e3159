import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isAbsent } from '../../base/files';
import { READ_MS } from '../../base/limits';
import { disableRepositoryPrograms, readSettings } from '../../git/repositorySettings';
import { gitWords, TIMED_OUT } from '../../git/errors';
import { branchOf, type Git, GitError, NOT_TRUSTED } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { CodedError } from '../codedText';
import type { Project } from '../store/jobStore';

/** The folder of the job branches. */
export const BRANCHES = 'docs-agent';

/** Where the user's repository keeps the commits of jobs whose branches were deleted after the merge, by job id. */
export const MERGED_REFS = 'refs/docs-agent/merged';

/** The maximum length of the words in a branch name, in characters. */
const MAX_SLUG = 40;
/** How much of a line is read, in characters: normalizing a long one can take minutes. */
const MAX_LINE = 200;
/** How much of the job's id a branch name ends with, unless another branch has that name. */
const MIN_ID = 4;

/**
 * Returns names for the branch of a new job that say what it is about, best first: the first line of the prompt in
 * ASCII, and the start of the job's id. The last one has the whole id, which no other branch has.
 *
 * @param prompt without secrets, because branches are pushed
 */
export function newBranchNames(prompt: string, jobId: string): string[] {
  const words = slug(prompt.trim().split('\n', 1)[0] ?? '') || 'job';
  const names: string[] = [];
  for (let length = MIN_ID; length < jobId.length; length += 2) {
    names.push(`${BRANCHES}/${words}-${jobId.slice(0, length)}`);
  }
  return [...names, `${BRANCHES}/${words}-${jobId}`];
}

function slug(line: string): string {
  const words = line
    .slice(0, MAX_LINE)
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  let made = '';
  for (const word of words) {
    const longer = made === '' ? word.slice(0, MAX_SLUG) : `${made}-${word}`;
    if (longer.length > MAX_SLUG) {
      break;
    }
    made = longer;
  }
  return made;
}

/** A commit and the branch that it was on; null if the checkout is detached. */
export interface Head {
  commit: string;
  branch: string | null;
}

export interface Identity {
  name: string;
  email: string;
}

/** Where a repository keeps commits that last. */
export const HOLDING = ['refs/heads', 'refs/tags', 'refs/remotes', MERGED_REFS];

const READ = { timeoutMs: READ_MS };

/** Whether a folder that was a work tree still is one. */
export async function isWorkTree(folder: string): Promise<boolean> {
  return (await lstat(join(folder, '.git')).catch(() => undefined)) !== undefined;
}

/** A folder that cannot be a project. */
export class UnusableFolder extends CodedError {}

/**
 * Reads the user's repository and changes nothing in it. Programs that its configuration names are disabled, because
 * the repository may have come from anywhere.
 */
export class UserRepository {
  constructor(private readonly git: Git) {}

  /** The real path of the work tree that holds the folder. Throws UnusableFolder. */
  async topLevel(folder: string): Promise<string> {
    try {
      return await realpath(await this.ask(folder, '--show-toplevel'));
    } catch (error) {
      if (error instanceof GitError && error.code === TIMED_OUT) {
        throw new UnusableFolder(coded('gitSilent', { folder, seconds: READ_MS / 1000 }));
      }
      if (error instanceof GitError && /unknown repository extension|Expected git repo version/.test(error.message)) {
        const words = gitWords(error.message).replace(/\s+/g, ' ');
        const git = await this.git.description();
        throw new UnusableFolder(coded('repositoryOfNewerGit', { folder, words, git }));
      }
      const isPlain =
        error instanceof GitError ? error.exitCode === undefined || error.code === NOT_TRUSTED : !isAbsent(error);
      if (isPlain && error instanceof Error) {
        throw new UnusableFolder(coded('plain', { text: error.message }));
      }
      throw new UnusableFolder(coded('noWorkTree', { folder }));
    }
  }

  private async ask(folder: string, what: string): Promise<string> {
    return (await this.git.run({ folder }, ['rev-parse', what], READ)).replace(/\r?\n$/, '');
  }

  /** The git directory that all work trees of the repository have in common. Throws GitError. */
  async commonGitDir(folder: string): Promise<string> {
    return realpath(resolve(folder, await this.ask(folder, '--git-common-dir')));
  }

  /**
   * Finds where the repository of a project is now: in its folder, or in another work tree if that was removed, because
   * all have the same branches. Throws UnusableFolder.
   */
  async findProjectFolder({ folder, gitDir }: Pick<Project, 'folder' | 'gitDir'>): Promise<string> {
    if (await isWorkTree(folder)) {
      return folder;
    }
    const list = ['worktree', 'list', '--porcelain', '-z'];
    const listed = gitDir === null ? '' : await this.git.run({ folder: gitDir, gitDir }, list, READ).catch(() => '');
    for (const line of listed.split('\0').filter((each) => each.startsWith('worktree '))) {
      const found = await this.topLevel(line.slice('worktree '.length)).catch(() => undefined);
      if (found !== undefined) {
        return found;
      }
    }
    throw new UnusableFolder(coded('folderGone', { folder }));
  }

  /** The commit that is checked out. Throws UnusableFolder when there is none yet. */
  async head(folder: string): Promise<Head> {
    const commit = await this.git
      .run({ folder }, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], READ)
      .catch((error: unknown) => {
        const isEmpty = error instanceof GitError && error.exitCode === 1;
        throw new UnusableFolder(
          isEmpty || !(error instanceof Error)
            ? coded('noCommitYet', { folder })
            : coded('plain', { text: error.message }),
        );
      });
    const ref = await this.git.run({ folder }, ['symbolic-ref', '--quiet', 'HEAD'], READ).catch(() => '');
    return { commit: commit.trim(), branch: branchOf(ref) || null };
  }

  /** The commit that a ref points to; undefined if there is no such ref. */
  async commitOf(folder: string, ref: string): Promise<string | undefined> {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    return (await this.git.run({ folder }, args).catch(() => '')).trim() || undefined;
  }

  /** What a new job needs to know, with what can't be read missing. */
  async headAndJobBranches(folder: string): Promise<{ head: Head | undefined; jobBranches: ReadonlySet<string> }> {
    // Git prints the option, which it doesn't know, between the two.
    const args = ['HEAD^{commit}', '--symbolic-full-name', 'HEAD', '--then', `--glob=refs/heads/${BRANCHES}/`];
    const printed = await this.git.run({ folder }, ['rev-parse', ...args], READ).catch(() => '');
    const [, commit, name, branches] =
      /^([0-9a-f]{40,64})\n(HEAD|refs\/heads\/.+)\n--then\n([^]*)$/.exec(printed) ?? [];
    if (commit === undefined || name === undefined) {
      // Such as a branch with the name HEAD, or no commit yet.
      const [head, jobBranches] = await Promise.all([
        this.head(folder).catch(() => undefined),
        this.jobBranches(folder),
      ]);
      return { head, jobBranches };
    }
    const head = { commit, branch: name === 'HEAD' ? null : branchOf(name) };
    return { head, jobBranches: new Set(branches?.split('\n').map(branchOf)) };
  }

  /** The names of the branches of jobs; empty if they can't be read. */
  async jobBranches(folder: string): Promise<Set<string>> {
    const args = ['for-each-ref', '--format=%(refname:lstrip=2)', `refs/heads/${BRANCHES}/`];
    const printed = await this.git.run({ folder }, args, READ).catch(() => '');
    return new Set(printed.split('\n'));
  }

  /** True if `later` contains all that `earlier` does; false also if one of them does not exist. */
  isAncestor(folder: string, earlier: string, later: string): Promise<boolean> {
    return this.git.run({ folder }, ['merge-base', '--is-ancestor', earlier, later]).then(
      () => true,
      () => false,
    );
  }

  /**
   * True if a branch, a tag, a remote's branch or what is kept of merged work contains the commit, so that it survives
   * when a clone of it is deleted.
   *
   * @param references where to look instead
   */
  async holds(folder: string, commit: string, references: readonly string[] = HOLDING): Promise<boolean> {
    const args = ['for-each-ref', '--count=1', `--contains=${commit}`, ...references];
    return (await this.git.run({ folder }, args).catch(() => '')).trim() !== '';
  }

  /**
   * True if tracked or new files differ from the commit that is checked out; false if the check takes too long. The
   * answer is only used for a remark.
   */
  async isDirty(folder: string): Promise<boolean> {
    const args = ['status', '--porcelain', '--ignore-submodules=all', '--untracked-files=normal'];
    try {
      const place = await disableRepositoryPrograms(this.git, { folder });
      return (await this.git.run(place, args, READ)).trim() !== '';
    } catch (error) {
      return error instanceof GitError && error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
    }
  }

  /** The user's git identity, so that commits carry their name. */
  async identity(folder: string): Promise<Identity> {
    const [name, email] = await Promise.all([
      this.git.configured(folder, 'user.name'),
      this.git.configured(folder, 'user.email'),
    ]);
    return { name: name ?? 'Docs Agent', email: email ?? 'docs-agent@localhost' };
  }

  /** The address of the repository without credentials: that of its remote, otherwise of the folder. */
  async address(folder: string): Promise<string> {
    const urls = await readSettings(this.git, { folder }, '^remote\\.origin\\.url$').catch(() => []);
    return toPublicUrl(urls.at(-1)?.[1].trim() ?? '') ?? pathToFileURL(folder).href;
  }
}

/**
 * A remote's address that is safe to show and send: without user name, password, query and fragment. The short form
 * `git@host:path` becomes a URL.
 *
 * @returns undefined if it is not an address
 */
export function toPublicUrl(remote: string): string | undefined {
  if (remote === '') {
    return undefined;
  }
  if (isAbsolute(remote)) {
    return pathToFileURL(remote).href;
  }
  const short = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]+):(?!\/\/)(.+)$/.exec(remote);
  const text = short ? `ssh://${short[1] ?? ''}/${(short[2] ?? '').replace(/^\/+/, '')}` : remote;
  if (!URL.canParse(text)) {
    return undefined;
  }
  const url = new URL(text);
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href;
}
