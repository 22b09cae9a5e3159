import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { move, PRIVATE_FILE, syncFolder } from '../../base/files';

/** The ending of files that were never finished: only a crash leaves one. */
export const TEMPORARY_SUFFIX = '.tmp';

/**
 * Writes a file so that it is there whole or not at all, and still there after a crash of the machine: temporary file,
 * fsync, rename, fsync of the folder. `path` must be a name that only this writer can choose.
 *
 * @throws the file system's error; nothing is left at `path` then
 */
export async function writeDurably(path: string, content: string): Promise<void> {
  const temporary = path + TEMPORARY_SUFFIX;
  const file = await open(temporary, 'wx', PRIVATE_FILE);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await move(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await makeNameDurable(path);
}

/**
 * Makes an empty file that was not there before. True for the one caller, over all processes, who made it.
 *
 * @throws the file system's error; nothing is claimed then
 */
export async function claimFile(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name);
  try {
    await (await open(path, 'wx', PRIVATE_FILE)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      return false;
    }
    throw error;
  }
  await makeNameDurable(path);
  return true;
}

/** Removes the file where that fails: what counts as not written must not be there later. */
async function makeNameDurable(path: string): Promise<void> {
  try {
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
}
