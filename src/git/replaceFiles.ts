import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdir, readlink, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isExecutable, keepMode, lstatIfThere, move, removeFile } from '../base/files';

/** A change to a file of a work tree. */
export interface FileChange {
  /** Relative to the root, with slashes. */
  path: string;
  /** The state that the file must have; see `stateOf`. */
  before: string;
  /** The file or link to copy there, which gets the mode of the file that it replaces; undefined to delete the file. */
  result: string | undefined;
}

/** A file couldn't be replaced. Those that were replaced before it were put back as they were. */
export class ReplaceError extends Error {
  constructor(
    /** The file. */
    readonly path: string,
    /** Why: the system's error code, or CHANGED. */
    readonly code: string | undefined,
    message: string,
    /** The files that couldn't be put back. */
    readonly notRestored: readonly string[],
    /** The folder with copies of all files that were replaced. */
    readonly copies: string,
  ) {
    super(message);
    this.name = 'ReplaceError';
  }
}

/** ReplaceError code: the file doesn't have the state that it must have, because it has been written to. */
export const CHANGED = 'CHANGED';

/** The state of a path where nothing is. */
export const ABSENT = 'absent';

/** Describes a file or link with its content, so that changes can be noticed. */
export async function stateOf(place: string): Promise<string> {
  const stat = await lstatIfThere(place);
  if (stat === undefined) {
    return ABSENT;
  }
  if (stat.isSymbolicLink()) {
    return `link ${await readlink(place)}`;
  }
  if (!stat.isFile()) {
    return 'other';
  }
  const hash = createHash('sha256');
  await pipeline(createReadStream(place), hash);
  return `file ${isExecutable(stat)} ${hash.digest('hex')}`;
}

/**
 * Replaces files one after the other, each atomically, and only if it is still as it was before. If one can't be
 * replaced, those before it are put back, unless they have been written to since. Throws ReplaceError.
 *
 * @param copies a new folder for copies of the replaced files
 */
export async function replaceFiles(root: string, changes: Iterable<FileChange>, copies: string): Promise<void> {
  const undo: { path: string; restore: () => Promise<void> }[] = [];
  for (const change of changes) {
    const { path } = change;
    try {
      undo.push({ path, restore: await replaceOne(root, change, join(copies, path)) });
    } catch (error) {
      const notRestored: string[] = [];
      // In reverse order, there is as much space for each file as there was for its replacement.
      for (const each of undo.toReversed()) {
        await each.restore().catch(() => notRestored.push(each.path));
      }
      const { code, message } = error as NodeJS.ErrnoException;
      throw new ReplaceError(path, code, message, notRestored, copies);
    }
  }
}

/** Makes one change, and returns how to undo it. */
async function replaceOne(
  root: string,
  { path, before, result }: FileChange,
  copy: string,
): Promise<() => Promise<void>> {
  const target = join(root, path);
  const after = result === undefined ? ABSENT : await stateOf(result);
  if (before !== ABSENT) {
    await mkdir(dirname(copy), { recursive: true });
    await cp(target, copy, COPY);
    await requireState(copy, before);
    if (result !== undefined) {
      await keepMode(copy, result);
    }
  }
  await put(root, path, result, before);
  return () => put(root, path, before === ABSENT ? undefined : copy, after);
}

/** Puts a copy of the file or link there, or deletes what is there. */
async function put(root: string, path: string, from: string | undefined, before: string): Promise<void> {
  const target = join(root, path);
  await requireNoLink(root, path);
  if (from === undefined) {
    await requireState(target, before);
    await removeFile(target);
    await removeEmptyFolders(root, dirname(path));
    return;
  }
  await mkdir(dirname(target), { recursive: true });
  // Next to it, because a file can be renamed only within a disk.
  const unfinished = join(dirname(target), `.docs-agent-${randomBytes(4).toString('hex')}`);
  try {
    await cp(from, unfinished, COPY);
    await requireNoLink(root, path);
    await requireState(target, before);
    await move(unfinished, target);
  } catch (error) {
    await removeFile(unfinished).catch(() => undefined);
    await removeEmptyFolders(root, dirname(path));
    throw error;
  }
}

const COPY = { verbatimSymlinks: true, preserveTimestamps: true } as const;

async function requireState(place: string, state: string): Promise<void> {
  if ((await stateOf(place)) !== state) {
    throw wasChanged();
  }
}

/** A folder of the path that became a link may lead out of the work tree. */
async function requireNoLink(root: string, path: string): Promise<void> {
  if ((await nonFolderAbove(root, path)) !== undefined) {
    throw wasChanged();
  }
}

function wasChanged(): Error {
  return Object.assign(new Error('The file was changed.'), { code: CHANGED });
}

/** Returns the first of a path's folders that is a link or a file. */
export async function nonFolderAbove(root: string, path: string): Promise<string | undefined> {
  const names = path.split('/');
  for (let depth = 1; depth < names.length; depth += 1) {
    const folder = names.slice(0, depth).join('/');
    const stat = await lstatIfThere(join(root, folder));
    if (stat?.isDirectory() !== true) {
      return stat && folder;
    }
  }
  return undefined;
}

/** Like git, which tracks no folders. */
async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  for (let each = folder; each !== '.'; each = dirname(each)) {
    try {
      await rmdir(join(root, each));
    } catch {
      return;
    }
  }
}
