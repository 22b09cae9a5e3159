import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git';
import type { GitPlace } from './safeCommand';
import { streamEntries } from './streamEntries';

/** A larger file is not read, and counts as changed. In bytes. */
const MAX_READ = 256 * 1024 * 1024;

/** The mode of a submodule, or of another repository inside this one. */
const SUBMODULE = '160000';

/** With the user's own settings, git may miss a change that kept the size and the second. */
export const ALL_OF_STAT = ['-c', 'core.checkStat=default', '-c', 'core.trustctime=true'];

/** The tags with which `git ls-files -v` marks a file: taken as unchanged (lowercase), or not checked out (`S`). */
export const ASSUMED_UNCHANGED = /^[a-z] /;
export const FLAGGED = /^[a-zS] /;

/**
 * Returns the changed files that git was told not to look at (git-update-index(1), `--assume-unchanged` and
 * `--skip-worktree`): commands that overwrite files do so silently. The files are compared here, because git would run
 * the repository's filters. A file that a filter writes differently counts as changed. Throws GitError.
 *
 * @returns paths with one character per byte, because names need not be UTF-8
 */
export async function changedFlaggedFiles(git: Pick<Git, 'stream'>, place: GitPlace, tag: RegExp): Promise<string[]> {
  const list = (flag: string): AsyncIterable<string[]> =>
    streamEntries(git, place, ['ls-files', flag, '-z'], { encoding: 'latin1' });
  const flagged = new Set<string>();
  for await (const entries of list('-v')) {
    entries.filter((entry) => tag.test(entry)).forEach((entry) => flagged.add(entry.slice(2)));
  }
  if (flagged.size === 0) {
    return [];
  }
  const changed: string[] = [];
  for await (const entries of list('-s')) {
    for (const entry of entries) {
      // `100644 ID 0`, a tab, then the path.
      const [facts = '', path = ''] = entry.split(/\t(.*)/s);
      const [mode = '', id = ''] = facts.split(' ');
      if (flagged.has(path) && mode !== SUBMODULE && (await isChanged(bytesPlace(place.folder, path), id))) {
        changed.push(path);
      }
    }
  }
  return changed;
}

/** The place of a path that has one character per byte. */
export function bytesPlace(folder: string, path: string): string | Buffer {
  const bytes = Buffer.from(path, 'latin1');
  return isUtf8(bytes) ? join(folder, bytes.toString()) : Buffer.concat([Buffer.from(`${folder}/`), bytes]);
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

/** The id that git gives to this content, with the same hash function as for the given id. */
function blobId(content: Buffer, { length }: string): string {
  const hash = createHash(length === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

function withoutReturns(content: Buffer): Buffer {
  return Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}
