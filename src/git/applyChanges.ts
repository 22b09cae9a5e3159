import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { PLAIN_DIFF } from './diff';
import { GitError } from './errors';
import { ALL_OF_STAT, changedFlaggedFiles, FLAGGED } from './flaggedFiles';
import type { Git, GitPlace } from './git';
import { ABSENT, CHANGED, nonFolderAbove, replaceFiles, ReplaceError, stateOf } from './replaceFiles';
import { streamEntries } from './streamEntries';

/** Why changes were not applied, and the files that prevent it. Nothing was changed. */
export interface ApplyRefusal {
  reason: 'nothing' | 'tooMany' | 'unsaved' | 'uncommitted' | 'inTheWay' | 'conflicts' | 'filtered' | 'submodules';
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

/** Maximum length of a list of changed files, in bytes: some thousand files. */
const MAX_LIST = 256 * 1024;

const TREES = [...PLAIN_DIFF, '--no-renames', '--ignore-submodules=none'];

/**
 * Applies the changes between two commits to the files of a work tree, on top of what is checked out. Touches neither
 * the index nor any branch, and no file with uncommitted or unsaved changes. Applies all of the changes or none. Throws
 * GitError, and ReplaceError if a file couldn't be written.
 *
 * @returns the files that were changed
 */
export async function applyChanges(options: ApplyOptions): Promise<string[] | ApplyRefusal> {
  try {
    return await applyAll(options);
  } catch (error) {
    if (error instanceof GitError && error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
      return { reason: 'tooMany', paths: [] };
    }
    throw error;
  }
}

async function applyAll(options: ApplyOptions): Promise<string[] | ApplyRefusal> {
  const { git, place, isUnsaved } = options;
  const head = (await git.run(place, ['rev-parse', '--verify', 'HEAD^{commit}'])).trim();
  const [from, to] = await comparedTrees(options, head);
  if (to === undefined) {
    return { reason: 'conflicts', paths: from };
  }
  const raw = await git.run(place, [...TREES, '--raw', '-z', from, to, '--'], { maxBytes: MAX_LIST });
  const changes = [...raw.matchAll(/:(\d+) (\d+) \S+ \S+ (\w)\0([^\0]+)\0/g)].map(
    ([, oldMode, mode, status = '', path = '']) => ({ status, path, isModule: [oldMode, mode].includes('160000') }),
  );
  const paths = changes.map(({ path }) => path);
  const mangled = paths.find((path) => path.includes('\uFFFD'));
  if (mangled !== undefined) {
    throw new GitError(`The name “${mangled}” isn’t valid UTF-8.`, undefined, undefined);
  }
  // First, so that whatever is written from here on is noticed.
  const states = new Map<string, string>();
  for (const { status, path } of changes) {
    // An added file counts as absent, even if a link that the job replaces with a folder, or a folder that it replaces,
    // is in its place.
    states.set(path, status === 'A' ? ABSENT : await stateOf(join(place.folder, path)));
  }
  const stateBefore = (path: string): string => states.get(path) ?? ABSENT;
  // What the job removes or replaces with a folder doesn't block files in that folder.
  const gone = new Set(changes.filter(({ status }) => status === 'D' || status === 'T').map(({ path }) => path));
  const obstacles = new Set<string>();
  for (const { status, path } of changes) {
    const found = await (status === 'A' ? obstacleTo(place.folder, path, gone) : nonFolderAbove(place.folder, path));
    if (found !== undefined) {
      obstacles.add(found);
    }
  }
  const checks: [ApplyRefusal['reason'], string[]][] = [
    ['submodules', changes.filter(({ isModule }) => isModule).map(({ path }) => path)],
    ['unsaved', paths.filter(isUnsaved)],
    ['uncommitted', await uncommitted(options, head, paths)],
    ['inTheWay', [...obstacles]],
    ['filtered', await filtered(options, paths)],
    // Missing files, such as those outside of a sparse checkout, which git doesn't show as changed.
    [
      'conflicts',
      changes.filter(({ status, path }) => status !== 'A' && stateBefore(path) === ABSENT).map(({ path }) => path),
    ],
  ];
  const [refused] = checks.filter(([, among]) => among.length > 0);
  if (refused !== undefined || paths.length === 0) {
    const [reason, among] = refused ?? (['nothing', []] as const);
    return { reason, paths: [...among] };
  }
  const scratch = await mkdtemp(join(tmpdir(), 'docs-agent-'));
  let isKept = false;
  try {
    const written = changes.filter(({ status }) => status !== 'D').map(({ path }) => path);
    const results = await writeResults(options, { head, from, to }, written, scratch);
    if (results === undefined) {
      return { reason: 'conflicts', paths: [] };
    }
    const removed = changes.filter(({ status }) => status === 'D');
    const steps = [
      // First, because a folder may take the place of a file.
      ...removed.map(({ path }) => ({ path, before: stateBefore(path), result: undefined })),
      ...written.map((path) => ({ path, before: stateBefore(path), result: join(results, path) })),
    ];
    await replaceFiles(place.folder, steps, join(scratch, 'copies'));
    return paths;
  } catch (error) {
    if (!(error instanceof ReplaceError)) {
      throw error;
    }
    isKept = error.notRestored.length > 0;
    if (isKept || error.code !== CHANGED) {
      throw error;
    }
    return { reason: stateBefore(error.path) === ABSENT ? 'inTheWay' : 'uncommitted', paths: [error.path] };
  } finally {
    if (!isKept) {
      await rm(scratch, { recursive: true, force: true });
    }
  }
}

/**
 * Returns the path of something that is in the place of a new file, or of one of its folders, and that the job doesn't
 * remove.
 */
async function obstacleTo(root: string, path: string, gone: ReadonlySet<string>): Promise<string | undefined> {
  const names = path.split('/');
  for (let depth = 1; depth <= names.length; depth += 1) {
    const place = names.slice(0, depth).join('/');
    const found = await lstat(join(root, place)).catch(() => undefined);
    if (found === undefined || (gone.has(place) && !found.isDirectory())) {
      return undefined;
    }
    if (!found.isDirectory()) {
      return place;
    }
  }
  return keptIn(root, path, gone);
}

/**
 * Returns the path of something in a folder that the job doesn't remove; undefined if the folder disappears with its
 * files.
 */
async function keptIn(root: string, folder: string, gone: ReadonlySet<string>): Promise<string | undefined> {
  // A folder that can’t be read stays.
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    const kept = entry.isDirectory() ? await keptIn(root, path, gone) : gone.has(path) ? undefined : path;
    if (kept !== undefined) {
      return kept;
    }
  }
  return entries.length === 0 ? folder : undefined;
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
    return [head, (await git.run(place, args, { maxBytes: MAX_LIST })).split('\0', 1)[0] ?? ''];
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
  const options = ['--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=all'];
  const dirty = new Set(
    (await changedFlaggedFiles(git, place, FLAGGED)).map((path) => Buffer.from(path, 'latin1').toString()),
  );
  for (const compared of [[head], ['--cached', head]]) {
    for await (const listed of streamEntries(git, place, [...ALL_OF_STAT, 'diff', ...options, ...compared, '--'])) {
      listed.forEach((path) => dirty.add(path));
    }
  }
  return paths.filter((path) => dirty.has(path));
}

/** The files that a filter such as Git LFS has to convert, which is disabled here. */
async function filtered({ git, place }: ApplyOptions, paths: readonly string[]): Promise<string[]> {
  const input = paths.map((path) => `${path}\0`).join('');
  const own = `core.attributesFile=${await git.attributesFile(place.folder)}`;
  const parts = (await git.run(place, ['-c', own, 'check-attr', '-z', '--stdin', 'filter'], { input })).split('\0');
  const plain = ['unspecified', 'unset', 'set'];
  return parts.filter((_, index) => index % 3 === 0 && !plain.includes(parts[index + 2] ?? 'unset'));
}

/**
 * Writes the new versions of the changed files to a folder, and returns it. Undefined if the changes don't fit what is
 * checked out.
 */
async function writeResults(
  { git, place }: ApplyOptions,
  { head, from, to }: { head: string; from: string; to: string },
  paths: readonly string[],
  scratch: string,
): Promise<string | undefined> {
  // The patch is in a file, because its bytes need not be UTF-8.
  const patch = join(scratch, 'patch');
  const format = ['--binary', '--full-index', '--src-prefix=a/', '--dst-prefix=b/', `--output=${patch}`];
  await git.run(place, [...TREES, ...format, from, to, '--']);
  // A separate index, not the user's.
  const environment = { GIT_INDEX_FILE: join(scratch, 'index') };
  await git.run(place, ['read-tree', head], { environment });
  const apply = ['apply', '--cached', '--whitespace=nowarn', '--no-ignore-whitespace', '--', patch];
  try {
    await git.run(place, apply, { environment });
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) {
      return undefined;
    }
    throw error;
  }
  const results = join(scratch, 'results');
  await mkdir(results);
  const prefix = `--prefix=${results.replaceAll(sep, '/')}/`;
  const input = paths.map((path) => `${path}\0`).join('');
  await git.run(place, ['checkout-index', prefix, '-z', '--stdin'], { environment, input });
  return results;
}
