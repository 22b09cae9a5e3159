import { lstat, readdir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { isAbsent, makeWritable, move } from '../../base/files';

/*
 * File operations in a work folder, where an agent may have removed permissions. They restore them if they have to. Paths
 * are bytes, because a name that is not UTF-8 can't be a string.
 */

/** The contents of a folder; empty if it is gone or not a folder. */
export async function listFolder(folder: Buffer): Promise<Dirent<Buffer>[]> {
  try {
    return await unlocking(() => readdir(folder, { withFileTypes: true, encoding: 'buffer' }), folder);
  } catch (error) {
    if (isAbsent(error)) {
      return [];
    }
    throw error;
  }
}

/** Moves a file or folder. */
export function moveUnlocked(from: Buffer, to: Buffer): Promise<void> {
  // To move a folder, Linux changes its `..`.
  return unlocking(() => move(from, to), parentOf(to), from);
}

/** What is at a path; undefined for nothing. Does not follow links. */
export async function kindOf(path: Buffer): Promise<'folder' | 'other' | undefined> {
  try {
    return await unlocking(async () => ((await lstat(path)).isDirectory() ? 'folder' : 'other'), path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

/** Retries an action that is not permitted after restoring access to the paths, if they are folders, and their parents. */
async function unlocking<T>(action: () => Promise<T>, ...paths: readonly Buffer[]): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (codeOf(error) !== 'EACCES') {
      throw error;
    }
    for (const path of paths) {
      await makeWritable(parentOf(path));
      if ((await lstat(path)).isDirectory()) {
        await makeWritable(path);
      }
    }
    return action();
  }
}

function parentOf(path: Buffer): Buffer {
  return path.subarray(0, path.lastIndexOf('/'));
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
