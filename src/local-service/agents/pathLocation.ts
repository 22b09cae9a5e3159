import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lstatIfThere } from '../../base/files';

/** Where a path that an agent names lies, with symbolic links resolved. */
export type PathLocation =
  /** `path` is relative to the job's folder and uses `/`. It is '' for the folder itself. */
  | { kind: 'inside'; path: string }
  | { kind: 'outside' }
  /** In a `.git` folder, such as the job's own. */
  | { kind: 'git' }
  /** Its location cannot be determined. */
  | { kind: 'unclear' };

/**
 * Determines where a path lies, whether or not anything exists there. The result holds only for now: the agent itself
 * may change the folders on the way before it uses the path.
 *
 * @param folder the real path of the job's folder
 * @param named relative to the folder, absolute, or a `file:` URL
 */
export async function locatePath(folder: string, named: string): Promise<PathLocation> {
  if (named === '') {
    return { kind: 'unclear' };
  }
  try {
    const path = resolve(folder, named.startsWith('file:') ? fileURLToPath(named) : named);
    const inside = relative(folder, await realPath(path));
    const names = inside.split(sep);
    if (names[0] === '..' || isAbsolute(inside)) {
      return { kind: 'outside' };
    }
    // In any case: it is the same folder on macOS and Windows.
    return names.some((name) => name.toLowerCase() === '.git')
      ? { kind: 'git' }
      : { kind: 'inside', path: names.join('/') };
  } catch {
    return { kind: 'unclear' };
  }
}

/** The real path of something that exists or will exist. Throws for what cannot be inspected, and for a dangling link. */
async function realPath(path: string): Promise<string> {
  return (await lstatIfThere(path)) === undefined
    ? join(await realPath(dirname(path)), basename(path))
    : await realpath(path);
}
