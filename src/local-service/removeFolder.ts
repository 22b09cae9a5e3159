import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAbsent, joinBytes, lstatIfThere, makeWritable, move } from '../base/files';

/** Name prefix of a folder that is being removed. */
export const REMOVING = '.removing-';

/**
 * Removes a folder and its contents. Renames it first, in one step, so that a half-removed folder is never mistaken for
 * a complete one. A missing folder is not an error.
 */
export async function removeFolder(folder: string, remove = removeAll): Promise<void> {
  const doomed = join(dirname(folder), `${REMOVING}${basename(folder)}-${randomBytes(4).toString('hex')}`);
  try {
    await move(folder, doomed);
  } catch (error) {
    if (isAbsent(error)) {
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
 * Removes a folder and its contents, whatever permissions a program has removed. Of a link, only the link is removed. A
 * missing folder is not an error.
 */
export async function removeAll(folder: string): Promise<void> {
  if ((await lstatIfThere(folder))?.isDirectory() === true) {
    await makeRemovable(Buffer.from(folder));
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Makes each folder writable, because programs that cache modules make them read-only. Does not follow links. A file's
 * own permissions don't prevent its removal.
 */
async function makeRemovable(folder: Buffer): Promise<void> {
  await makeWritable(folder);
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) {
      await makeRemovable(joinBytes(folder, entry.name));
    }
  }
}
