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

/** The beginning of a URL. A single letter is a drive. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;

/** The longest path that is resolved, in steps. Each one takes the file system as long as all before it. */
const MAX_STEPS = 200;

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
  const asText = resolve(folder, path);
  const meant = classifyPath(folder, await realPath(asText), asText);
  if (meant.kind !== 'inside' || !path.includes('..')) {
    return meant;
  }
  const taken = classifyPath(folder, await realPath(isAbsolute(path) ? path : `${folder}${sep}${path}`), asText);
  return taken.kind === 'inside' ? meant : taken;
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
    if (path === named && SCHEME.test(path)) {
      return undefined;
    }
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
 * dangling link, for a path that is too long, and for anything that cannot be inspected.
 */
async function realPath(path: string): Promise<string | undefined> {
  const { root } = parse(path);
  const steps = path.slice(root.length).split(SEPARATORS);
  const names = steps.filter((step) => step !== '' && step !== '.');
  if (names.length > MAX_STEPS) {
    return undefined;
  }
  let existing = root;
  /** The names below it that don’t exist. */
  const missing: string[] = [];
  try {
    for (const name of names) {
      if (name !== '..') {
        const next = join(existing, name);
        const found = missing.length > 0 ? undefined : await lstat(next).catch(undefinedIfMissing);
        if (found === undefined) {
          missing.push(name);
        } else {
          existing = found.isSymbolicLink() ? await realpath(next) : next;
        }
      } else if (missing.pop() === undefined) {
        existing = dirname(existing);
      }
    }
    // Also spells it as the file system does: names may be short ones of Windows, or in another case.
    return join(await realpath(existing), ...missing);
  } catch {
    return undefined;
  }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') {
    throw error;
  }
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
