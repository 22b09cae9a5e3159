import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git, GitPlace } from './git';
import { streamEntries } from './streamEntries';

/*
 * What git itself does not refuse. `git switch` and `git merge --ff-only`, both with `--no-overwrite-ignore`, keep every
 * other file of the user, whether untracked, ignored, changed, or flagged; so does
 * `git switch --no-overwrite-ignore -C BRANCH COMMIT`, which moves the branch that is checked out. `git reset --keep`
 * overwrites ignored files without a word, and `git stash` flagged ones. With `submodule.recurse`, `git switch` does the
 * same in submodules, so it needs `--no-recurse-submodules`.
 */

/** Files that git keeps in its directory while an operation is in progress, sometimes as its only sign. */
const OPERATIONS = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['BISECT_LOG', 'bisect'],
] as const;

/** Refs with the same meaning, which aren’t files with every format of refs. */
const REFS = [
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
] as const;

/** The name of a git command. */
export type UnfinishedOperation = (typeof OPERATIONS | typeof REFS)[number][1];

/** Returns the operation that is in progress in a work tree: it would go on with another commit. Throws GitError. */
export async function findUnfinishedOperation(
  git: Pick<Git, 'run'>,
  place: GitPlace,
): Promise<UnfinishedOperation | undefined> {
  const gitDir = (await git.run(place, ['rev-parse', '--absolute-git-dir'])).replace(/\r?\n$/, '');
  for (const [file, operation] of OPERATIONS) {
    if ((await stat(join(gitDir, file)).catch(() => undefined)) !== undefined) {
      return operation;
    }
  }
  for (const [ref, operation] of REFS) {
    const args = ['rev-parse', '--quiet', '--verify', ref];
    if (await git.run(place, args).catch(() => '')) {
      return operation;
    }
  }
  return undefined;
}

/** The mode of a submodule. */
const SUBMODULE = '160000';
/** The mode of what isn't there. */
const ABSENT = '000000';

/**
 * Returns the submodules that another commit replaces with a file, at their own path or at that of a folder above: git
 * deletes what is in them, untracked files and commits that were never pushed. Throws GitError.
 *
 * @param from what is checked out
 */
export async function findReplacedSubmodules(
  git: Pick<Git, 'stream'>,
  place: GitPlace,
  from: string,
  to: string,
): Promise<string[]> {
  const gone = (await readSubmodules(git, place, from, to)).filter(({ after }) => after !== SUBMODULE);
  // Disks may ignore case.
  const isAtOrAbove = (path: string, other: string): boolean =>
    `${other}/`.toLowerCase().startsWith(`${path}/`.toLowerCase());
  const replaced = new Set<string>();
  for await (const { path, after } of gone.length === 0 ? [] : readChanges(git, place, from, to)) {
    if (after !== ABSENT && after !== SUBMODULE) {
      gone.filter((each) => isAtOrAbove(path, each.path)).forEach((each) => replaced.add(each.path));
    }
  }
  return [...replaced];
}

/** Returns the submodules that differ between two commits, with their modes. Throws GitError. */
export async function readSubmodules(
  git: Pick<Git, 'stream'>,
  place: GitPlace,
  from: string,
  to: string,
): Promise<TreeChange[]> {
  const found: TreeChange[] = [];
  for await (const change of readChanges(git, place, from, to)) {
    if (change.before === SUBMODULE || change.after === SUBMODULE) {
      found.push(change);
    }
  }
  return found;
}

/**
 * Returns what git would delete to write these files: a link that the user has put in the place of a folder, or another
 * repository in a folder that becomes a file.
 *
 * @param paths with one character per byte, because names need not be UTF-8
 */
export async function findReplacedFolders(root: string, paths: readonly string[]): Promise<string[]> {
  const place = (path: string): Buffer => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
  const parents = new Set<string>();
  for (const path of paths) {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      parents.add(path.slice(0, end));
    }
  }
  const isLink = async (path: string): Promise<boolean> =>
    (await lstat(place(path)).catch(() => undefined))?.isSymbolicLink() === true;
  const holdsRepository = async (path: string): Promise<boolean> => {
    // As text, because Node reads no folder recursively whose path is in bytes.
    const names = await readdir(place(path).toString(), { recursive: true }).catch(() => []);
    return names.some((name) => /(^|[/\\])\.git$/i.test(name));
  };
  const [links, repositories] = await Promise.all([
    Promise.all([...parents].map(isLink)),
    Promise.all(paths.map(holdsRepository)),
  ]);
  return [...[...parents].filter((_, index) => links[index]), ...paths.filter((_, index) => repositories[index])];
}

interface TreeChange {
  path: string;
  /** File modes. */
  before: string;
  after: string;
}

async function* readChanges(
  git: Pick<Git, 'stream'>,
  place: GitPlace,
  from: string,
  to: string,
): AsyncGenerator<TreeChange, void> {
  // `:100644 100755 ID ID M`, then the path.
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--ignore-submodules=none', from, to, '--'];
  let modes: string[] | undefined;
  for await (const fields of streamEntries(git, place, args)) {
    for (const field of fields) {
      if (modes === undefined) {
        modes = field.slice(1).split(' ');
      } else {
        const [before = '', after = ''] = modes;
        modes = undefined;
        yield { path: field, before, after };
      }
    }
  }
}
