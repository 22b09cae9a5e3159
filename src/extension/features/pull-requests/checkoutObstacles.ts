import type { Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { createYielder } from '../../../base/async';
import { lstatIfThere } from '../../../base/files';
import { disableRepositoryPrograms } from '../../../git/disableRepositoryPrograms';
import { ASSUMED_UNCHANGED, bytesPlace, changedFlaggedFiles } from '../../../git/flaggedFiles';
import type { Git, GitPlace } from '../../../git/git';
import { streamEntries } from '../../../git/streamEntries';
import { GIT_STATUS, type GitChange, type GitRepository } from '../../platform/gitExtension';

/** A path relative to the repository's root, and why git would lose its content. */
export interface CheckoutObstacle {
  path: string;
  why: 'unstashable' | 'unnoticed' | 'overwritten';
}

/** Thrown for a branch that changes more files than are kept in memory: reused folders make any number of them cheap. */
export class TooManyChanges extends Error {
  override readonly name = 'TooManyChanges';
}

/** Maximum number of changed files, and of characters in their paths. */
const LIMITS = { files: 100_000, characters: 16 * 1024 * 1024 };

/** The parts of our read-only git that are needed here. */
export type ReadingGit = Pick<Git, 'run' | 'stream' | 'configured'>;

/**
 * Finds a tracked file that was replaced by something of another kind: by a folder with new files or with a repository
 * of its own, or its folder by a file. `git stash` restores the old file over it without saving what was there (seen
 * with 2.39). Asks git itself, because the Git extension reports a renamed file by its new name. Throws GitError when
 * git can't tell.
 */
export async function findUnstashable(
  git: ReadingGit,
  { rootUri, state }: GitRepository,
): Promise<CheckoutObstacle | undefined> {
  const folder = rootUri.fsPath;
  const args = ['diff-index', '--raw', '-z', '--no-renames', '--diff-filter=DT', '--ignore-submodules=dirty'];
  const disk = new Disk(folder);
  // Git runs the clean filter if the time of a file can't tell whether it has changed since the index was written.
  const place = await disableRepositoryPrograms(git, { folder });
  const changes = readChanges(git, place, [...args, state.HEAD?.commit ?? EMPTY_TREE, '--']);
  for await (const { status, path, modes } of changes) {
    const isLost =
      status === 'T'
        ? modes[1] === SUBMODULE && modes[0] !== SUBMODULE
        : modes[0] !== SUBMODULE && ((await disk.isFolder(path)) || (await disk.isBelowFile(path)));
    if (isLost) {
      return { path: toText(path), why: 'unstashable' };
    }
  }
  return undefined;
}

/**
 * Finds a changed file that git was told to take as unchanged. `git stash` overwrites it, or a folder in its place,
 * without saving it. Throws GitError when git can't tell.
 */
export async function findAssumedUnchanged(
  git: ReadingGit,
  { rootUri }: GitRepository,
): Promise<CheckoutObstacle | undefined> {
  const [path] = await changedFlaggedFiles(git, { folder: rootUri.fsPath }, ASSUMED_UNCHANGED);
  return path === undefined ? undefined : { path: toText(path), why: 'unnoticed' };
}

export function isDeleted({ status }: GitChange): boolean {
  return status === GIT_STATUS.deleted || status === GIT_STATUS.indexDeleted;
}

/**
 * Finds an untracked file that git would overwrite or delete when checking out another commit. git does so silently for
 * ignored files, for files that exist before the first commit, and for a submodule's folder that becomes a file. Throws
 * GitError when git can't tell, and TooManyChanges.
 */
export async function findOverwritten(
  git: ReadingGit,
  { rootUri, state }: GitRepository,
  target: string,
): Promise<CheckoutObstacle | undefined> {
  const folder = rootUri.fsPath;
  // These will be in the stash.
  const staged = state.indexChanges.map(({ uri }) => toBytes(relative(folder, uri.fsPath).split(sep).join('/')));
  const path = await untrackedIn(git, { folder, from: state.HEAD?.commit ?? EMPTY_TREE, to: target }, staged);
  return path === undefined ? undefined : { path, why: 'overwritten' };
}

/** The empty tree, which every git knows. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** The mode of a submodule, or of another repository inside this one. */
const SUBMODULE = '160000';

async function untrackedIn(
  git: ReadingGit,
  { folder, from, to }: { folder: string; from: string; to: string },
  staged: readonly string[],
): Promise<string | undefined> {
  const disk = new Disk(folder);
  staged.forEach((path) => disk.track(path));
  const changes: Change[] = [];
  let touchesSubmodule = false;
  let [files, characters] = [0, 0];
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--ignore-submodules=none', from, to, '--'];
  for await (const change of readChanges(git, { folder }, args)) {
    files += 1;
    characters += change.path.length;
    if (files > LIMITS.files || characters > LIMITS.characters) {
      throw new TooManyChanges('the branch changes too many files to check');
    }
    const isOfSubmodule = change.modes.includes(SUBMODULE);
    touchesSubmodule ||= isOfSubmodule;
    if (change.status === 'D') {
      disk.track(change.path);
    } else if (change.status === 'A' || isOfSubmodule) {
      changes.push(change);
    }
  }
  const recurses = touchesSubmodule && isOn(await git.configured(folder, 'submodule.recurse'));
  // A branch may add more files than can be looked at in one turn.
  const yieldToEventLoop = createYielder();
  for (const { status, path, modes, ids } of changes) {
    await yieldToEventLoop();
    const [wasSubmodule, isSubmodule] = modes.map((mode) => mode === SUBMODULE);
    if (status === 'A' || (wasSubmodule === true && status === 'T')) {
      // Without recursion, git leaves a submodule's folder alone.
      const found = await disk.untrackedAt(path, { isFolderSafe: isSubmodule === true && !recurses });
      if (found !== undefined) {
        return toText(found);
      }
    } else if (recurses && wasSubmodule === true && isSubmodule === true && (await disk.has(`${path}/.git`))) {
      const [old = '', next = ''] = ids;
      const name = toText(path);
      const found = await untrackedIn(git, { folder: join(folder, name), from: old, to: next }, []);
      if (found !== undefined) {
        return `${name}/${found}`;
      }
    }
  }
  return undefined;
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(false|no|off|0)$/i.test(value);
}

interface Change {
  /** The status letter of `git diff-tree`: added, deleted, modified, or type changed. */
  status: string;
  /** One character per byte, because names need not be UTF-8. */
  path: string;
  /** File modes before and after. */
  modes: readonly string[];
  ids: readonly string[];
}

/** Reads the raw output of `git diff-tree -z` or `git diff-index -z`. */
async function* readChanges(git: ReadingGit, place: GitPlace, args: readonly string[]): AsyncGenerator<Change, void> {
  let facts: string | undefined;
  for await (const fields of streamEntries(git, place, args, { encoding: 'latin1' })) {
    for (const field of fields) {
      if (facts === undefined) {
        facts = field;
        continue;
      }
      // `:100644 100644 ID ID M`, then the path.
      const [mode = '', next = '', id = '', nextId = '', status = ''] = facts.slice(1).split(' ');
      facts = undefined;
      yield { status, path: field, modes: [mode, next], ids: [id, nextId] };
    }
  }
}

/** The content of a working tree besides the tracked files, which git is about to remove itself. */
class Disk {
  private readonly tracked = new Map<string, string[]>();
  private readonly known = new Map<string, Stats | undefined>();

  constructor(private readonly folder: string) {}

  /** Adds a tracked file. */
  track(path: string): void {
    const key = folded(path);
    const alike = this.tracked.get(key);
    if (alike === undefined) {
      this.tracked.set(key, [path]);
    } else {
      alike.push(path);
    }
  }

  async has(path: string): Promise<boolean> {
    return (await this.stat(path)) !== undefined;
  }

  async isFolder(path: string): Promise<boolean> {
    return (await this.stat(path))?.isDirectory() === true;
  }

  async isBelowFile(path: string): Promise<boolean> {
    const names = path.split('/');
    for (let depth = 1; depth < names.length; depth += 1) {
      const stat = await this.stat(names.slice(0, depth).join('/'));
      if (stat !== undefined && !stat.isDirectory()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns an untracked path that a file at `path` would replace: there, below it, or in place of one of its folders.
   */
  async untrackedAt(path: string, { isFolderSafe }: { isFolderSafe: boolean }): Promise<string | undefined> {
    const names = path.split('/');
    for (let depth = 1; depth <= names.length; depth += 1) {
      const place = names.slice(0, depth).join('/');
      const stat = await this.stat(place);
      if (stat === undefined) {
        return undefined;
      }
      if (!stat.isDirectory()) {
        return (await this.isTracked(place)) ? undefined : place;
      }
    }
    return isFolderSafe ? undefined : this.untrackedBelow(path);
  }

  private async untrackedBelow(path: string): Promise<string | undefined> {
    const entries = await readdir(this.place(path), { withFileTypes: true, encoding: 'latin1' });
    if (entries.some(({ name }) => name === '.git')) {
      // A submodule or a nested repository.
      return path;
    }
    for (const entry of entries) {
      const inner = `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        const found = await this.untrackedBelow(inner);
        if (found !== undefined) {
          return found;
        }
      } else if (!(await this.isTracked(inner))) {
        return inner;
      }
    }
    return undefined;
  }

  /** Also true for a name that differs only in case, when the file system treats both as one file. */
  private async isTracked(path: string): Promise<boolean> {
    const alike = this.tracked.get(folded(path)) ?? [];
    if (alike.includes(path)) {
      return true;
    }
    const own = await this.stat(path);
    const others = await Promise.all(alike.map((other) => this.stat(other)));
    return others.some((other) => other !== undefined && other.ino === own?.ino && other.dev === own.dev);
  }

  private async stat(path: string): Promise<Stats | undefined> {
    if (!this.known.has(path)) {
      this.known.set(path, await lstatIfThere(this.place(path)));
    }
    return this.known.get(path);
  }

  private place(path: string): string | Buffer {
    return bytesPlace(this.folder, path);
  }
}

function folded(path: string): string {
  return toText(path).normalize('NFC').toLowerCase();
}

function toText(path: string): string {
  return Buffer.from(path, 'latin1').toString();
}

function toBytes(path: string): string {
  return Buffer.from(path).toString('latin1');
}
