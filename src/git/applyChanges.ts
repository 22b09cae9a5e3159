import { cp, lstat, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PLAIN_DIFF } from './diff';
import { GitError } from './errors';
import { changedFlaggedFiles, FLAGGED } from './flaggedFiles';
import type { Git, GitPlace } from './git';

/** Why changes were not applied, and the files that prevent it. Nothing was changed. */
export interface ApplyRefusal {
  reason: 'nothing' | 'unsaved' | 'uncommitted' | 'inTheWay' | 'conflicts' | 'filtered' | 'submodules';
  paths: string[];
}

export interface ApplyOptions {
  git: Git;
  /** The user's work tree, without the programs that the repository configures. */
  place: GitPlace;
  /** The commits between which the changes were made. */
  base: string;
  commit: string;
  /** Whether an editor has unsaved changes to a file. */
  isUnsaved: (path: string) => boolean;
}

const TREES = [...PLAIN_DIFF, '--no-renames', '--ignore-submodules=none'];

/**
 * Applies the changes between two commits to the files of a work tree, on top of what is checked out. Touches neither
 * the index nor any branch, and no file with uncommitted or unsaved changes. Applies all of the changes or none. Throws
 * GitError.
 *
 * @returns the files that were changed
 */
export async function applyChanges(options: ApplyOptions): Promise<string[] | ApplyRefusal> {
  const { git, place, isUnsaved } = options;
  const head = (await git.run(place, ['rev-parse', '--verify', 'HEAD^{commit}'])).trim();
  const [from, to] = await comparedTrees(options, head);
  if (to === undefined) {
    return { reason: 'conflicts', paths: from };
  }
  const raw = await git.run(place, [...TREES, '--raw', '-z', from, to, '--']);
  const changes = [...raw.matchAll(/:(\d+) (\d+) \S+ \S+ (\w)\0([^\0]+)\0/g)].map(
    ([, oldMode, mode, status = '', path = '']) => ({ status, path, isModule: [oldMode, mode].includes('160000') }),
  );
  const paths = changes.map(({ path }) => path);
  const added = changes.filter(({ status }) => status === 'A').map(({ path }) => path);
  // What the job removes or replaces by a folder doesn't block files in that folder.
  const gone = new Set(changes.filter(({ status }) => status === 'D' || status === 'T').map(({ path }) => path));
  const found = await Promise.all(added.map((path) => obstacleTo(place.folder, path, gone)));
  const checks: [ApplyRefusal['reason'], string[]][] = [
    ['submodules', changes.filter(({ isModule }) => isModule).map(({ path }) => path)],
    ['unsaved', paths.filter(isUnsaved)],
    ['uncommitted', await uncommitted(options, head, paths)],
    ['inTheWay', [...new Set(found.filter((path) => path !== undefined))]],
    ['filtered', await filtered(options, paths)],
  ];
  const [refused] = checks.filter(([, among]) => among.length > 0);
  if (refused !== undefined || paths.length === 0) {
    const [reason, among] = refused ?? (['nothing', []] as const);
    return { reason, paths: [...among] };
  }
  return (await applyPatch(options, from, to, paths)) ? paths : { reason: 'conflicts', paths: [] };
}

/** Returns the path of what is in the place of a new file, or of one of its folders. */
async function obstacleTo(root: string, path: string, gone: ReadonlySet<string>): Promise<string | undefined> {
  const names = path.split('/');
  for (let depth = 1; depth <= names.length; depth += 1) {
    const place = names.slice(0, depth).join('/');
    const found = await lstat(join(root, place)).catch(() => undefined);
    if (found === undefined || (gone.has(place) && !found.isDirectory())) {
      return undefined;
    }
    if (depth === names.length || !found.isDirectory()) {
      return place;
    }
  }
  return undefined;
}

/**
 * The trees whose difference is applied: what is checked out, and the same with the changes between `base` and `commit`.
 * The second is undefined if that conflicts, and the first then lists the files.
 */
async function comparedTrees(
  { git, place, base, commit }: ApplyOptions,
  head: string,
): Promise<[from: string, to: string] | [conflicts: string[], to: undefined]> {
  try {
    // Stand-ins have the base as their common ancestor. For the commits themselves, git might choose an earlier one, and
    // apply commits that the work is based on, or bring back what was merged and then reverted.
    const root = await standIn(git, place, base);
    const sides = await Promise.all([head, commit].map((side) => standIn(git, place, side, root)));
    const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...sides];
    return [head, (await git.run(place, args)).split('\0', 1)[0] ?? ''];
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode === undefined) {
      throw error;
    }
    if (error.exitCode === 1) {
      return [[...new Set(error.output.split('\0').slice(1))].filter((path) => path !== ''), undefined];
    }
    // Before Git 2.38, which has no such command, the patch itself has to fit.
    return [base, commit];
  }
}

/** Creates a commit of the same files, which no branch has. */
async function standIn(git: Git, place: GitPlace, commit: string, parent?: string): Promise<string> {
  const parents = parent === undefined ? [] : ['-p', parent];
  const input = 'Stand-in\n';
  return (await git.run(place, ['commit-tree', `${commit}^{tree}`, ...parents], { input, environment: NOBODY })).trim();
}

const NOBODY = {
  GIT_AUTHOR_NAME: 'Docs Agent',
  GIT_AUTHOR_EMAIL: 'docs-agent@localhost',
  GIT_COMMITTER_NAME: 'Docs Agent',
  GIT_COMMITTER_EMAIL: 'docs-agent@localhost',
};

async function uncommitted({ git, place }: ApplyOptions, head: string, paths: readonly string[]): Promise<string[]> {
  const names = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=all'];
  const printed = await Promise.all(
    [[head], ['--cached', head]].map((compared) => git.run(place, [...names, ...compared, '--'])),
  );
  const hidden = await changedFlaggedFiles(git, place, FLAGGED);
  const dirty = new Set([
    ...printed.join('').split('\0'),
    ...hidden.map((path) => Buffer.from(path, 'latin1').toString()),
  ]);
  return paths.filter((path) => dirty.has(path));
}

/** The files that a filter such as Git LFS has to convert, which is disabled here. */
async function filtered({ git, place }: ApplyOptions, paths: readonly string[]): Promise<string[]> {
  const input = paths.map((path) => `${path}\0`).join('');
  const parts = (await git.run(place, ['check-attr', '-z', '--stdin', 'filter'], { input })).split('\0');
  const plain = ['unspecified', 'unset', 'set'];
  return parts.filter((_, index) => index % 3 === 0 && !plain.includes(parts[index + 2] ?? 'unset'));
}

/**
 * `git apply` checks the whole patch before it writes the first file. Returns false if it doesn't fit. If it fails after
 * that, because of a full disk or a folder that can't be written, the files are put back as they were.
 */
async function applyPatch(
  { git, place }: ApplyOptions,
  from: string,
  to: string,
  paths: readonly string[],
): Promise<boolean> {
  const scratch = await mkdtemp(join(tmpdir(), 'docs-agent-'));
  // In a file, because its bytes need not be UTF-8.
  const patch = join(scratch, 'patch');
  const format = ['--binary', '--full-index', '--src-prefix=a/', '--dst-prefix=b/', `--output=${patch}`];
  try {
    await git.run(place, [...TREES, ...format, from, to, '--']);
    const putBack = await copyFiles(place.folder, paths, join(scratch, 'files'));
    try {
      await git.run(place, ['apply', '--whitespace=nowarn', '--no-ignore-whitespace', '--', patch]);
    } catch (error) {
      await putBack();
      throw error;
    }
    return true;
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) {
      return false;
    }
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Copies those of the files that exist. Returns the function that restores all of them. */
async function copyFiles(root: string, paths: readonly string[], copies: string): Promise<() => Promise<void>> {
  const kept: [path: string, copy: string | undefined][] = [];
  await mkdir(copies);
  for (const [index, path] of paths.entries()) {
    const copy = join(copies, String(index));
    const stat = await lstat(join(root, path)).catch(() => undefined);
    if (stat?.isFile() === true || stat?.isSymbolicLink() === true) {
      await cp(join(root, path), copy, COPY);
    }
    kept.push([path, stat === undefined || stat.isDirectory() ? undefined : copy]);
  }
  return async () => {
    // First everything that was written, because the disk may be full.
    for (const [path, copy] of kept) {
      const target = join(root, path);
      if (copy !== undefined || (await lstat(target).catch(() => undefined))?.isDirectory() === false) {
        await rm(target, { force: true, recursive: true });
      }
    }
    for (const [path, copy] of kept) {
      const target = join(root, path);
      if (copy !== undefined) {
        await mkdir(dirname(target), { recursive: true });
        await cp(copy, target, COPY);
      }
    }
  };
}

const COPY = { verbatimSymlinks: true, preserveTimestamps: true, force: true } as const;
