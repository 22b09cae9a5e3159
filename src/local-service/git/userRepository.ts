import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { disableRepositoryPrograms } from '../../git/disableRepositoryPrograms';
import { TIMED_OUT } from '../../git/errors';
import { type Git, GitError, NOT_TRUSTED } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { CodedError } from '../codedText';

/** A commit and the branch that it was on; no branch when the checkout is detached. */
export interface Head {
  commit: string;
  branch: string | null;
}

export interface Identity {
  name: string;
  email: string;
}

/**
 * How long git may take to read the configuration or a reference, in milliseconds. It takes for ever where the
 * configuration includes a pipe.
 */
const READ_LIMIT_MS = 10_000;

/** How long a look for uncommitted work may hold up a new job, in milliseconds. */
const STATUS_LIMIT_MS = 5000;

const READ = { timeoutMs: READ_LIMIT_MS };

/** A folder that can't be a project. */
export class UnusableFolder extends CodedError {}

/**
 * Reads the repository that a user works in, and changes nothing of it. What its configuration would have run stays
 * switched off: the repository may have come from anywhere.
 */
export class UserRepository {
  constructor(private readonly git: Git) {}

  /** The real path of the work tree that holds the folder. Throws UnusableFolder. */
  async topLevel(folder: string): Promise<string> {
    try {
      const printed = await this.git.run({ folder }, ['rev-parse', '--show-toplevel'], READ);
      return await realpath(printed.replace(/\r?\n$/, ''));
    } catch (error) {
      if (error instanceof GitError && error.code === TIMED_OUT) {
        throw new UnusableFolder(coded('gitSilent', { folder, seconds: READ_LIMIT_MS / 1000 }));
      }
      if (error instanceof GitError && (error.exitCode === undefined || error.code === NOT_TRUSTED)) {
        throw new UnusableFolder(coded('plain', { text: error.message }));
      }
      throw new UnusableFolder(coded('noWorkTree', { folder }));
    }
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
    const branch = await this.git.run({ folder }, ['symbolic-ref', '--quiet', '--short', 'HEAD'], READ).catch(() => '');
    return { commit: commit.trim(), branch: branch.trim() || null };
  }

  /** The commit that a ref stands at; undefined without such a ref. */
  async commitOf(folder: string, ref: string): Promise<string | undefined> {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    return (await this.git.run({ folder }, args).catch(() => '')).trim() || undefined;
  }

  /** True when `later` holds all that `earlier` does; false also when one of them is not there. */
  isAncestor(folder: string, earlier: string, later: string): Promise<boolean> {
    return this.git.run({ folder }, ['merge-base', '--is-ancestor', earlier, later]).then(
      () => true,
      () => false,
    );
  }

  /** True when a branch, a tag or a remote's branch holds the commit, so that it is not lost with a clone of it. */
  async holds(folder: string, commit: string): Promise<boolean> {
    const args = ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/heads', 'refs/tags', 'refs/remotes'];
    return (await this.git.run({ folder }, args).catch(() => '')).trim() !== '';
  }

  /**
   * True when tracked or new files differ from the commit that is checked out. Only a remark hangs on it: where the
   * answer takes long, it is false.
   */
  async isDirty(folder: string): Promise<boolean> {
    const args = ['status', '--porcelain', '--ignore-submodules=all', '--untracked-files=normal'];
    try {
      const place = await disableRepositoryPrograms(this.git, { folder });
      return (await this.git.run(place, args, { timeoutMs: STATUS_LIMIT_MS })).trim() !== '';
    } catch (error) {
      return error instanceof GitError && error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
    }
  }

  /** Who the user is to git, so that a commit bears their name. */
  async identity(folder: string): Promise<Identity> {
    const [name, email] = await Promise.all([
      this.git.configured(folder, 'user.name'),
      this.git.configured(folder, 'user.email'),
    ]);
    return { name: name ?? 'Docs Agent', email: email ?? 'docs-agent@localhost' };
  }

  /** The address of the repository without credentials: its remote's, or else that of the folder. */
  async address(folder: string): Promise<string> {
    const remote = await this.git.run({ folder }, ['config', '--get', 'remote.origin.url'], READ).catch(() => '');
    return shownRemoteUrl(remote.trim()) ?? pathToFileURL(folder).href;
  }
}

/**
 * The id of the project in this folder: its name as far as an id may hold it, and a short hash of its real path, so that
 * the same folder has the same id after a restart, and two of one name differ.
 */
export function projectIdOf(topLevel: string): string {
  const slug = basename(topLevel)
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .toLowerCase();
  const hash = createHash('sha256').update(topLevel).digest('hex').slice(0, 10);
  return slug === '' ? hash : `${slug}-${hash}`;
}

/**
 * A remote's address as it may be shown and sent: user name, password, query and fragment are taken out, and the short
 * form `git@host:path` is written as a URL.
 *
 * @returns undefined when there is no address in it
 */
export function shownRemoteUrl(remote: string): string | undefined {
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
