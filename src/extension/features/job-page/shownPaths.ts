import { toQuestion } from '../../platform/sanitize';

/** Maximum length of a path, in characters. */
const MAX_PATH = 1000;

/** A repository path as shown on the page; invisible characters are written as their numbers. */
export function shownPath(path: string): string {
  return toQuestion(path, MAX_PATH);
}

/**
 * The paths of files as shown on the page, each of which identifies its file there. Equal ones, as of names that differ
 * in spaces only, get a number.
 */
export function shownPaths(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const names = paths.map(shownPath);
  const used = new Set(names);
  return names.map((shown) => {
    let count = (counts.get(shown) ?? 0) + 1;
    while (count > 1 && used.has(`${shown} (${count})`)) {
      count += 1;
    }
    counts.set(shown, count);
    return count === 1 ? shown : `${shown} (${count})`;
  });
}
