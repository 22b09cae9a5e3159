/** Limits on the length and number of globs, because they come from the repository. */
export const MAX_GLOB = 200;
export const MAX_GLOBS = 100;

/**
 * Returns whether a path matches one of the globs: `*` and `?` stay within a folder, `**` doesn't, and a glob that ends
 * with a slash means everything below that folder.
 */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  const all = globs.map((glob) => parts(glob.endsWith('/') ? `${glob}**` : glob));
  let last: { path: string; isFitting: boolean } | undefined;
  return (path) => {
    // The same path often comes several times in a row: a history names a file for each of its changes.
    if (last?.path !== path) {
      const names = path.split('/');
      last = { path, isFitting: all.some((glob) => matchesFolders(glob, names)) };
    }
    return last.isFitting;
  };
}

function parts(glob: string): string[] {
  return glob.split('/').filter((part) => part !== '' && part !== '.');
}

/** Extending the last `**` is always enough: retrying earlier ones can't help, so this takes quadratic time at most. */
function matchesFolders(glob: readonly string[], names: readonly string[]): boolean {
  return matches(glob, names, '**', matchesName);
}

function matchesName(pattern: string, name: string): boolean {
  return matches(Array.from(pattern), Array.from(name), '*', (one, other) => one === '?' || one === other);
}

function matches<T>(
  pattern: readonly T[],
  text: readonly T[],
  any: T,
  isSame: (pattern: T, text: T) => boolean,
): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let afterStar = 0;
  while (at < text.length) {
    const wanted = pattern[inPattern];
    const here = text[at];
    if (wanted === any && inPattern < pattern.length) {
      star = inPattern++;
      afterStar = at;
    } else if (wanted !== undefined && here !== undefined && isSame(wanted, here)) {
      inPattern++;
      at++;
    } else if (star !== -1) {
      inPattern = star + 1;
      at = ++afterStar;
    } else {
      return false;
    }
  }
  while (inPattern < pattern.length && pattern[inPattern] === any) {
    inPattern++;
  }
  return inPattern === pattern.length;
}
