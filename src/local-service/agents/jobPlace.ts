import { lstat, realpath } from 'node:fs/promises';
import native, { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a place that an agent names lies, with symbolic links followed. */
export type Place =
  /**
   * `path` is relative to the job's folder, '' for the folder itself. It has `/` on each system, and names are without what
   * some file system ignores in them, so that it can be compared, but not opened.
   */
  | { kind: 'inside'; path: string }
  | { kind: 'outside' }
  /** In the folder that holds the job's own git directory, by any spelling that a file system takes for it. */
  | { kind: 'git' }
  /** It can't be told where that is. */
  | { kind: 'unclear' };

const SEPARATORS = sep === '/' ? '/' : /[/\\]/;

/** Characters that HFS+ leaves out when it compares names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Tells where a place lies, whether or not there is something yet. It holds for now only: what lies on the way may be
 * changed before the agent goes there, by the agent itself.
 *
 * @param folder the real path of the job's folder
 */
export async function placeOf(folder: string, named: string): Promise<Place> {
  const path = pathOf(named);
  if (path === undefined) {
    return { kind: 'unclear' };
  }
  // A program takes `link/..` for the folder that holds the link, the system for the one above its target.
  const [asText, asWay] = [resolve(folder, path), isAbsolute(path) ? path : `${folder}${sep}${path}`];
  const [meant, taken] = await Promise.all([realPath(asText), realPath(asWay)]);
  const places = [placeIn(folder, meant, asText), placeIn(folder, taken, asText)];
  return places.find(({ kind }) => kind !== 'inside') ?? placeIn(folder, meant, asText);
}

/**
 * @param real the real path of the place; undefined where it can't be told
 * @param named the path that the agent names, made absolute
 * @param path how this system writes paths
 */
export function placeIn(
  folder: string,
  real: string | undefined,
  named: string,
  path: Pick<typeof native, 'relative' | 'isAbsolute' | 'sep'> = native,
): Place {
  if (real === undefined) {
    return { kind: 'unclear' };
  }
  const inside = path.relative(folder, real);
  if (inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)) {
    return { kind: 'outside' };
  }
  const names = inside.split(path.sep).map(comparableName);
  const isGit = [...names, ...path.relative(folder, named).split(path.sep).map(comparableName)].some((name) =>
    /^(\.git|git~1)$/i.test(name),
  );
  return isGit ? { kind: 'git' } : { kind: 'inside', path: names.join('/') };
}

/** A path from the folder, an absolute one, or a `file:` address. */
function pathOf(named: string): string | undefined {
  try {
    const path = /^file:/i.test(named) ? fileURLToPath(named) : named;
    // A program may put the home folder in place of the tilde, and the value of a variable in place of its name; and it
    // may leave out white space (a byte order mark is some) and control characters.
    const isUnclear = path === '' || /^(~|\$[A-Z_{(]|%\w+%)|\$[{(]|`|^\s|\s$|\p{Cc}/u.test(path);
    return isUnclear ? undefined : path;
  } catch {
    return undefined;
  }
}

/**
 * The real path of what is there or will be, step by step as the system goes it; undefined for a link that leads nowhere
 * and for what can't be looked at.
 */
async function realPath(path: string): Promise<string | undefined> {
  const { root } = parse(path);
  let real = root;
  for (const step of path.slice(root.length).split(SEPARATORS)) {
    if (step === '..') {
      real = dirname(real);
    } else if (step !== '' && step !== '.') {
      const next = await realStep(join(real, step));
      if (next === undefined) {
        return undefined;
      }
      real = next;
    }
  }
  return real;
}

/** Of a path whose folder is real. */
async function realStep(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && !(await isThere(path));
    return isMissing ? path : undefined;
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
  );
}

/**
 * A name without what a file system may ignore in it: invisible characters, streams, trailing dots and spaces. Git guards
 * its own folder in the same way (CVE-2014-9390, CVE-2019-1352).
 */
function comparableName(name: string): string {
  return name
    .replace(IGNORED, '')
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '');
}
