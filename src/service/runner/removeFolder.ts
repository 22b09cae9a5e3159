import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { move } from '../../shared/util/durability';
import { makeWritable } from '../../shared/util/fileModes';

/** What the name of a folder begins with that is being removed. */
export const REMOVING = '.removing-';

/**
 * Removes a folder and all that is in it. It loses its name first, in one step, so that one which is half removed is
 * never taken for whole. A folder that is not there is no fault.
 */
export async function removeFolder(folder: string): Promise<void> {
  const doomed = join(dirname(folder), `${REMOVING}${basename(folder)}-${randomBytes(4).toString('hex')}`);
  try {
    await move(folder, doomed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return;
    }
    throw error;
  }
  await removeAll(doomed);
}

/** Removes what an earlier removal left when it was cut off. */
export async function removeRests(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(REMOVING));
  for (const name of names) {
    await removeAll(join(parent, name));
  }
}

async function removeAll(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ENOTEMPTY') {
      throw error;
    }
    // Something in it may be read-only: programs that keep a cache of modules make it so.
    await makeAllWritable(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Of folders alone, and through no link: a file's own rights don't hinder its removal. */
async function makeAllWritable(folder: string): Promise<void> {
  await makeWritable(folder);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) {
      await makeAllWritable(join(folder, entry.name));
    }
  }
}
