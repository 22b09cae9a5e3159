import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeWritable, move, joinBytes } from '../base/files';

/** Name prefix of a folder that is being removed. */
export const REMOVING = '.removing-';

/**
 * Maximum length of a folder's path below the root, in bytes. Deeper folders are moved up before removal, because
 * systems limit paths to a few thousand bytes.
 */
const MAX_PATH = 1000;

/**
 * Removes a folder and its contents. Renames it first, in one step, so that a half-removed folder is never mistaken for
 * a complete one. A missing folder is not an error.
 */
export async function removeFolder(folder: string, remove = removeAll): Promise<void> {
  const doomed = join(dirname(folder), `${REMOVING}${basename(folder)}-${randomBytes(4).toString('hex')}`);
  try {
    await move(folder, doomed);
  } catch (error) {
    if (isMissing(error)) {
      return;
    }
    throw error;
  }
  await remove(doomed);
}

/** Finishes removals that were interrupted. One failure does not stop the others. */
export async function finishRemovals(
  parent: string,
  onFailure: (folder: string, error: unknown) => void,
  remove = removeAll,
): Promise<void> {
  for (const name of (await readdir(parent)).filter((each) => each.startsWith(REMOVING))) {
    const folder = join(parent, name);
    await remove(folder).catch((error: unknown) => onFailure(folder, error));
  }
}

/**
 * Removes a folder and its contents, however deep it is and whatever permissions a program has removed. Of a link, only
 * the link is removed. A missing folder is not an error.
 */
export async function removeAll(folder: string): Promise<void> {
  if (await isFolder(folder)) {
    await makeRemovable(folder);
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (isMissing(error)) {
      return false;
    }
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/**
 * Makes each folder writable, because programs that cache modules make them read-only, and moves up folders whose path
 * is too long for the system. Does not follow links. A file's own permissions don't prevent its removal.
 */
async function makeRemovable(root: string): Promise<void> {
  const moved = randomBytes(4).toString('hex');
  const folders: Buffer[] = [Buffer.from(root)];
  await makeWritable(root);
  // The list grows during iteration.
  for (const folder of folders) {
    for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
      if (entry.isDirectory()) {
        const path = joinBytes(folder, entry.name);
        await makeWritable(path);
        const isDeep = path.length > root.length + MAX_PATH;
        const place = isDeep ? joinBytes(root, `${moved}-${folders.length}`) : path;
        if (isDeep) {
          await move(path, place);
        }
        folders.push(place);
      }
    }
  }
}
