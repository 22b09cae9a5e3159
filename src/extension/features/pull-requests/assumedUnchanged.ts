import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import type { GitRepository } from '../../platform/gitExtension';
import { bytesPlace, type CheckoutObstacle, namesIn, type ReadingGit, SUBMODULE, toText } from './checkoutObstacles';

/** A larger file is not read, and counts as changed. In bytes. */
const MAX_READ = 256 * 1024 * 1024;

/**
 * Finds a changed file that git was told to take as unchanged (`git update-index --assume-unchanged`). `git stash`
 * overwrites it, or a folder in its place, without saving it. The files are compared here, because git would run the
 * repository's filters. A file that a filter writes differently counts as changed. Throws GitError when git can't tell.
 */
export async function findAssumedUnchanged(
  git: ReadingGit,
  { rootUri }: GitRepository,
): Promise<CheckoutObstacle | undefined> {
  const place = { folder: rootUri.fsPath };
  const list = async (flag: string): Promise<string[]> =>
    namesIn(await git.run(place, ['ls-files', flag, '-z'], { bytes: true }));
  // A lowercase tag marks such a file: `h README.md`.
  const flagged = new Set((await list('-v')).filter((entry) => /^[a-z] /.test(entry)).map((entry) => entry.slice(2)));
  if (flagged.size === 0) {
    return undefined;
  }
  for (const entry of await list('-s')) {
    // `100644 ID 0`, a tab, then the path.
    const [facts = '', path = ''] = entry.split(/\t(.*)/s);
    const [mode = '', id = ''] = facts.split(' ');
    if (flagged.has(path) && mode !== SUBMODULE && (await isChanged(bytesPlace(place.folder, path), id))) {
      return { path: toText(path), why: 'unnoticed' };
    }
  }
  return undefined;
}

async function isChanged(path: string | Buffer, id: string): Promise<boolean> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined) {
    return false;
  }
  if (stat.isSymbolicLink()) {
    return blobId(await readlink(path, { encoding: 'buffer' }), id) !== id;
  }
  if (!stat.isFile() || stat.size > MAX_READ) {
    return true;
  }
  const content = await readFile(path);
  // git may have written other line endings (`core.autocrlf`).
  return blobId(content, id) !== id && blobId(withoutReturns(content), id) !== id;
}

/** The id that git gives to such a content, of the same kind as the given one. */
function blobId(content: Buffer, { length }: string): string {
  const hash = createHash(length === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

function withoutReturns(content: Buffer): Buffer {
  return Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}
