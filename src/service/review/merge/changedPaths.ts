import { lstat, readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { GitOptions } from '../../../git/git';
import { leadsOutByText } from '../../git/stageWork';
import type { Checkout } from './checkout';
import { MergeRefusal, named } from './mergeRefusal';

const GITLINK = '160000';
const SYMLINK = '120000';
const ABSENT = '000000';

/** A path whose file differs between two commits. The modes are git's; 000000 where there is no file. */
export interface ChangedPath {
  path: string;
  fromMode: string;
  toMode: string;
  /** Id of the new content. */
  toObject: string;
}

/** What differs between two trees, by path. */
export async function changedPaths(
  { run }: Checkout,
  from: string,
  to: string,
  options?: GitOptions,
): Promise<ChangedPath[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', '--ignore-submodules=none', from, to];
  const parts = (await run(args, options)).split('\0');
  const changes: ChangedPath[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [fromMode = '', toMode = '', , toObject = ''] = (parts[index] ?? '').slice(1).split(' ');
    changes.push({ path: parts[index + 1] ?? '', fromMode, toMode, toObject });
  }
  return changes;
}

export const isAdded = ({ fromMode }: ChangedPath): boolean => fromMode === ABSENT;
export const isRemoved = ({ toMode }: ChangedPath): boolean => toMode === ABSENT;

/** Refuses what a checkout without the user's own programs would not bring right: submodules, links that lead out. */
export async function refuseOddKinds(
  { run }: Checkout,
  changes: readonly ChangedPath[],
  options?: GitOptions,
): Promise<void> {
  const submodules = changes.filter(({ fromMode, toMode }) => [fromMode, toMode].includes(GITLINK));
  if (submodules.length > 0) {
    throw new MergeRefusal(`Submodules would change: ${named(pathsOf(submodules))}. Merge on the command line.`);
  }
  for (const { path, toMode, toObject } of changes) {
    if (toMode === SYMLINK && leadsOutByText(path, await run(['cat-file', 'blob', toObject], options))) {
      throw new MergeRefusal(`“${path}” is a link that leads out of the repository. Merge on the command line.`);
    }
  }
}

/**
 * Refuses files that a filter keeps, such as those of Git LFS: filters are programs of the user's, and none is run here.
 *
 * @param indexes environments with an index each, of which the attributes count
 */
export async function refuseFiltered(
  { run }: Checkout,
  changes: readonly ChangedPath[],
  indexes: readonly Record<string, string>[],
): Promise<void> {
  const input = pathsOf(changes)
    .map((path) => `${path}\0`)
    .join('');
  const filtered = new Set<string>();
  const ask = async (more: readonly string[], environment: Record<string, string>): Promise<void> => {
    const parts = (await run(['check-attr', '-z', '--stdin', ...more, 'filter'], { input, environment })).split('\0');
    for (let index = 0; index + 2 < parts.length; index += 3) {
      if (!['unspecified', 'unset', 'set'].includes(parts[index + 2] ?? '')) {
        filtered.add(parts[index] ?? '');
      }
    }
  };
  await ask([], {});
  for (const environment of indexes) {
    await ask(['--cached'], environment);
  }
  if (filtered.size > 0) {
    throw new MergeRefusal(`A filter such as Git LFS keeps ${named([...filtered])}. Merge on the command line.`);
  }
}

/** Refuses when something that git does not track stands where a new file is to be. */
export async function refuseInTheWay({ folder }: Checkout, changes: readonly ChangedPath[]): Promise<void> {
  const removed = new Set(changes.filter(isRemoved).map(({ path }) => path));
  const inTheWay: string[] = [];
  for (const { path } of changes.filter(isAdded)) {
    const found = await obstacle(folder, path, removed);
    if (found !== undefined) {
      inTheWay.push(found);
    }
  }
  if (inTheWay.length > 0) {
    throw new MergeRefusal(
      `${named([...new Set(inTheWay)])} would be overwritten, and git does not track what stands there. Move or delete it, then try again.`,
    );
  }
}

async function obstacle(folder: string, path: string, removed: ReadonlySet<string>): Promise<string | undefined> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const each = parts.slice(0, depth).join('/');
    const found = await lstat(join(folder, each)).catch(() => undefined);
    if (found === undefined || removed.has(each)) {
      return undefined;
    }
    if (depth === parts.length || !found.isDirectory()) {
      return found.isDirectory() ? untrackedIn(folder, each, removed) : each;
    }
  }
  return undefined;
}

/** A folder makes room when all that is in it goes. Returns what does not. */
async function untrackedIn(root: string, path: string, removed: ReadonlySet<string>): Promise<string | undefined> {
  const entries = await readdir(join(root, path), { withFileTypes: true });
  for (const entry of entries) {
    const each = posix.join(path, entry.name);
    const found = entry.isDirectory() ? await untrackedIn(root, each, removed) : removed.has(each) ? undefined : each;
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

export function pathsOf(changes: readonly ChangedPath[]): string[] {
  return changes.map(({ path }) => path);
}

/** The folders that a path lies in, the nearest first. */
export function foldersOf(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}
