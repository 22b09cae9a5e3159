import { randomBytes } from 'node:crypto';
import { realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { move, removeFile } from '../../base/files';

/**
 * Writes a report. In one of the checked repositories, no symbolic link is followed: the repository could have one of
 * that name, which leads to a file of the user. Elsewhere, links are the user's own (`/dev/stdout`).
 *
 * @param repositories their folders
 */
export async function writeReport(file: string, text: string, repositories: readonly string[]): Promise<void> {
  const path = resolve(file);
  const own = await Promise.all(repositories.map((folder) => realpath(folder)));
  const isOwn = (folder: string): boolean => own.some((each) => folder === each || folder.startsWith(each + sep));
  const outermost = await firstAbove(path, isOwn);
  if (outermost === undefined) {
    await writeFile(path, text);
    return;
  }
  const folder = dirname(path);
  if ((await realpath(folder)) !== join(await realpath(outermost), relative(outermost, folder))) {
    throw new Error(`The report was not written: the repository has a symbolic link in the path “${file}”.`);
  }
  const unfinished = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(unfinished, text, { flag: 'wx' });
    // Replaces a link, and not what it leads to.
    await move(unfinished, path);
  } catch (error) {
    await removeFile(unfinished).catch(() => undefined);
    throw error;
  }
}

/** The outermost folder above a path whose real place fulfills the condition. */
async function firstAbove(path: string, isWanted: (folder: string) => boolean): Promise<string | undefined> {
  const above: string[] = [];
  for (let folder = dirname(path); above.at(-1) !== folder; folder = dirname(folder)) {
    above.push(folder);
  }
  for (const folder of above.toReversed()) {
    const real = await realpath(folder).catch(() => undefined);
    if (real !== undefined && isWanted(real)) {
      return folder;
    }
  }
  return undefined;
}
