import { isUtf8 } from 'node:buffer';
import { readFile, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { joinBytes, lstatIfThere } from '../../base/files';
import type { Git, GitPlace } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { shownPath } from '../text';
import { TurnFailure } from '../turnFailure';

/*
 * Files that git converts when it stages them, as a file `.gitattributes` says. A path is a string with one character per
 * byte.
 */

const ATTRIBUTES = '.gitattributes';

/** Whether there are attributes for some of the files. */
export async function haveAttributes(work: string, paths: readonly string[]): Promise<boolean> {
  const folders = new Set(['.']);
  for (const path of paths) {
    for (let folder = posix.dirname(path); !folders.has(folder); folder = posix.dirname(folder)) {
      folders.add(folder);
    }
  }
  const files = [...folders].map((folder) => joinBytes(work, Buffer.from(posix.join(folder, ATTRIBUTES), 'latin1')));
  const stats = await Promise.all(files.map(lstatIfThere));
  return stats.some((each) => each !== undefined) || paths.some((path) => posix.basename(path) === ATTRIBUTES);
}

/** Returns the values of attributes by path and name, as `git check-attr` names them. */
export async function readAttributes(
  git: Git,
  host: GitPlace,
  names: readonly string[],
  paths: readonly string[],
): Promise<(path: string, name: string) => string> {
  const input = paths.map((path) => `${path}\0`).join('');
  const printed = (await git.run(host, ['check-attr', '-z', '--stdin', ...names], { input, bytes: true })).split('\0');
  const values = new Map<string, string>();
  for (let at = 0; at + 2 < printed.length; at += 3) {
    values.set(`${printed[at] ?? ''}\0${printed[at + 1] ?? ''}`, printed[at + 2] ?? '');
  }
  return (path, name) => values.get(`${path}\0${name}`) ?? 'unspecified';
}

/** The attribute that says which encoding a file has in the work tree. */
export const ENCODING = 'working-tree-encoding';

/**
 * Writes files in the encoding that they ought to have, if the agent has saved them in UTF-8: git would take the bytes for
 * that encoding. Throws TurnFailure for a file for which that can't be done.
 *
 * @returns whether there were any
 */
export async function restoreEncodings(
  work: string,
  paths: readonly string[],
  encodingOf: (path: string) => string,
): Promise<boolean> {
  let areRestored = false;
  for (const path of paths) {
    const encoding = encodingOf(path);
    const [isOther, bits, order = '', mark] = /^utf-?(16|32)(le|be)?(-bom)?$/i.exec(encoding) ?? [];
    const file = joinBytes(work, Buffer.from(path, 'latin1'));
    const bytes = isOther === undefined ? Buffer.alloc(0) : await readFile(file);
    // In these encodings, a text has a zero in each line end.
    if (bytes.length > 0 && isUtf8(bytes) && !bytes.includes(0)) {
      if (bits === '32') {
        throw new TurnFailure(coded('encodingLost', { path: shownPath(Buffer.from(path, 'latin1')), encoding }));
      }
      const start = order === '' || mark !== undefined ? '\uFEFF' : '';
      const written = Buffer.from(start + bytes.toString().replace(/^\uFEFF/, ''), 'utf16le');
      await writeFile(file, /be/i.test(order) ? written.swap16() : written);
      areRestored = true;
    }
  }
  return areRestored;
}
