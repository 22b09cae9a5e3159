import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { move, PRIVATE_FILE, syncFolder } from '../../base/files';

/** The suffix of unfinished files: only a crash leaves one behind. */
export const TEMPORARY_SUFFIX = '.tmp';

/**
 * Writes a file so that it exists completely or not at all, and survives a crash of the machine: temporary file, fsync,
 * rename, fsync of the folder. `path` must be a name that only this writer can choose.
 *
 * @throws the file system's error; then nothing is left at `path`
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
 * Creates an empty file that did not exist before. Returns true only to the one caller, across all processes, that
 * created it.
 *
 * @throws the file system's error; then nothing is claimed
 */
export async function claim(folder: string, name: string): Promise<boolean> {
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

/** Syncs the folder. If that fails, removes the file: what counts as not written must not exist later. */
async function makeNameDurable(path: string): Promise<void> {
  try {
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
}
