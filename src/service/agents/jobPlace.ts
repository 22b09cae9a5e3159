import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a place that an agent names lies, with symbolic links followed. */
export type Place =
  /** `path` is relative to the job's folder, '' for the folder itself. */
  | { kind: 'inside'; path: string }
  | { kind: 'outside' }
  /** In the folder that holds the job's own git directory, by any spelling that a file system takes for it. */
  | { kind: 'git' }
  /** It can't be told where that is. */
  | { kind: 'unclear' };

/** Characters that HFS+ leaves out when it compares names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Tells where a place lies, whether or not there is something yet. It holds for now only: what lies on the way may be
 * changed before the agent goes there, by the agent itself.
 *
 * @param folder the real path of the job's folder
 */
export async function placeOf(folder: string, named: string): Promise<Place> {
  const path = absolute(folder, named);
  const real = path === undefined ? undefined : await realPath(path);
  if (path === undefined || real === undefined) {
    return { kind: 'unclear' };
  }
  const inside = relative(folder, real);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    return { kind: 'outside' };
  }
  const segments = [...inside.split(sep), ...relative(folder, path).split(sep)];
  return segments.some(isGit) ? { kind: 'git' } : { kind: 'inside', path: inside };
}

/** As the agent meant it: a path from its folder, an absolute one, or a `file:` address. */
function absolute(folder: string, named: string): string | undefined {
  try {
    const path = /^file:/i.test(named) ? fileURLToPath(named) : named;
    // A program may put the home folder in place of the tilde.
    return path === '' || path.includes('\0') || path.startsWith('~') ? undefined : resolve(folder, path);
  } catch {
    return undefined;
  }
}

/** The real path of what is there or will be; undefined for a link that leads nowhere and what can't be looked at. */
async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || (await isThere(path))) {
      return undefined;
    }
    const real = await realPath(parent);
    return real === undefined ? undefined : join(real, basename(path));
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
  );
}

/** As git itself guards it (CVE-2014-9390, CVE-2019-1352): case, short names, streams and trailing dots don't matter. */
function isGit(segment: string): boolean {
  const name = segment
    .replace(IGNORED, '')
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '');
  return name === '.git' || name === 'git~1';
}
