import { lstat, realpath } from 'node:fs/promises';
import native, { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a path that an agent names lies, with symbolic links resolved. */
export type PathLocation =
  /**
   * `path` is relative to the job's folder, '' for the folder itself. It uses `/` on every platform, and omits from
   * names what some file systems ignore. So it can be compared, but not opened.
   */
  | { kind: 'inside'; path: string }
  | { kind: 'outside' }
  /** In a `.git` folder, such as the job's own, in any spelling that a file system accepts for it. */
  | { kind: 'git' }
  /** Its location cannot be determined. */
  | { kind: 'unclear' };

const SEPARATORS = sep === '/' ? '/' : /[/\\]/;

/** Characters that HFS+ ignores when it compares names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Determines where a path lies, whether or not anything exists there. The result holds only for now: the agent itself
 * may change the folders on the way before it uses the path.
 *
 * @param folder the real path of the job's folder
 */
export async function locatePath(folder: string, named: string): Promise<PathLocation> {
  const path = pathOf(named);
  if (path === undefined) {
    return { kind: 'unclear' };
  }
  // For `link/..`, a program may take the folder that holds the link; the system takes the parent of the link's target.
  const [asText, asWay] = [resolve(folder, path), isAbsolute(path) ? path : `${folder}${sep}${path}`];
  const [meant, taken] = await Promise.all([realPath(asText), realPath(asWay)]);
  const places = [classifyPath(folder, meant, asText), classifyPath(folder, taken, asText)];
  return places.find(({ kind }) => kind !== 'inside') ?? classifyPath(folder, meant, asText);
}

/**
 * @param real the real path; undefined if it cannot be determined
 * @param named the path that the agent names, made absolute
 * @param path this system's path functions
 */
export function classifyPath(
  folder: string,
  real: string | undefined,
  named: string,
  path: Pick<typeof native, 'relative' | 'isAbsolute' | 'sep'> = native,
): PathLocation {
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

/** Accepts a path relative to the folder, an absolute path or a `file:` URL. Undefined for an ambiguous one. */
function pathOf(named: string): string | undefined {
  try {
    const path = /^file:/i.test(named) ? fileURLToPath(named) : named;
    // Programs may expand the tilde to the home folder and a variable to its value, and may strip white space (which
    // includes a byte order mark) and control characters.
    const isUnclear = path === '' || /^(~|\$[A-Z_{(]|%\w+%)|\$[{(]|`|^\s|\s$|\p{Cc}/u.test(path);
    return isUnclear ? undefined : path;
  } catch {
    return undefined;
  }
}

/**
 * The real path of something that exists or will exist, resolved step by step as the system does. Undefined for a
 * dangling link and for anything that cannot be inspected.
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

/** Resolves one step. The folder of `path` must already be a real path. */
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
 * Removes what a file system may ignore in a name: invisible characters, alternate data streams, trailing dots and
 * spaces. Git protects its own folder in the same way (CVE-2014-9390, CVE-2019-1352).
 */
function comparableName(name: string): string {
  return name
    .replace(IGNORED, '')
    .replace(/:.*/s, '')
    .replace(/(?<![. ])[. ]+$/, '');
}
