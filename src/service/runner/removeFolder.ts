import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { move } from '../../shared/util/durability';
import { makeWritable } from '../../shared/util/fileModes';
import { joinBytes } from '../text';

/** What the name of a folder begins with that is being removed. */
export const REMOVING = '.removing-';

/** A folder below a longer path is moved up before it is removed, in bytes; systems take paths of some thousand. */
const MAX_PATH = 1000;

/**
 * Removes a folder and all that is in it. It loses its name first, in one step, so that one which is half removed is
 * never taken for whole. A folder that is not there is no fault.
 */
export async function removeFolder(folder: string, remove = removeAll): Promise<void> {
  const doomed = join(dirname(folder), `${REMOVING}${basename(folder)}-${randomBytes(4).toString('hex')}`);
  try {
    await move(folder, doomed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return;
    }
    throw error;
  }
  await remove(doomed);
}

/** Removes what earlier removals left that were cut off. One that can't be removed does not keep the others. */
export async function removeRests(
  parent: string,
  onFailure: (folder: string, error: unknown) => void,
  remove = removeAll,
): Promise<void> {
  for (const name of (await readdir(parent)).filter((each) => each.startsWith(REMOVING))) {
    const folder = join(parent, name);
    await remove(folder).catch((error: unknown) => onFailure(folder, error));
  }
}

/** Removes a folder and all that is in it, however deep it is and whatever rights a program has taken from it. */
export async function removeAll(folder: string): Promise<void> {
  await makeRemovable(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Makes each folder writable, as programs that keep a cache of modules make them read-only, and moves up what lies too
 * deep for the system to name. Follows no link. A file's own rights don't hinder its removal.
 */
async function makeRemovable(root: string): Promise<void> {
  const moved = randomBytes(4).toString('hex');
  const folders: Buffer[] = [Buffer.from(root)];
  await makeWritable(root);
  // It grows while it is gone through.
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
