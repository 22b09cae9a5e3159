import { randomBytes } from 'node:crypto';
import { lstat, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { move, removeFile } from '../../base/files';

/**
 * Writes a report. In a Git repository, no symbolic link is followed: the repository could have one of that name that
 * leads to one of the user's files. Elsewhere, links are the user's own (`/dev/stdout`).
 */
export async function writeReport(file: string, report: object): Promise<void> {
  const text = `${JSON.stringify(report, null, 2)}\n`;
  const path = resolve(file);
  const outermost = await outermostInRepository(path);
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

/** The outermost folder above a path whose real place is in a repository. */
async function outermostInRepository(path: string): Promise<string | undefined> {
  for (const folder of foldersAbove(path).toReversed()) {
    const real = await realpath(folder).catch(() => undefined);
    if (real !== undefined && (await isInRepository(real))) {
      return folder;
    }
  }
  return undefined;
}

/** Doesn't ask git: a repository can point it to another work tree, and it sees only the innermost repository. */
async function isInRepository(folder: string): Promise<boolean> {
  const found = await Promise.all(
    foldersAbove(join(folder, '.git')).map((each) => lstat(join(each, '.git')).catch(() => undefined)),
  );
  return found.some((each) => each !== undefined);
}

/** The folders above a path, from the innermost to the root. */
function foldersAbove(path: string): string[] {
  const above: string[] = [];
  for (let folder = dirname(path); above.at(-1) !== folder; folder = dirname(folder)) {
    above.push(folder);
  }
  return above;
}
