import { coded, type CodedText } from '../../protocol/codedText';
import { shownPath } from '../text';

/*
 * Paths have one character per byte here, because names need not be UTF-8: git reads and prints them with the option
 * `bytes`.
 */

/** Lists a few paths for a message. */
export function formatPaths(paths: readonly string[]): CodedText {
  const shown = paths.slice(0, 3).map((path) => `“${shownPath(Buffer.from(path, 'latin1'))}”`);
  const count = paths.length - shown.length;
  const text = shown.join(', ');
  return count > 0 ? coded('pathsAndMore', { paths: text, count }) : coded('plain', { text });
}

export const BYTES = { bytes: true } as const;

/** Without `--ignore-submodules`, git would look into submodules, using the configuration of each. */
export const DIFF = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=all'];

/** Parses the output of `git check-attr -z` for one attribute. */
export function parseAttributes(printed: string): { path: string; value: string }[] {
  const parts = printed.split('\0');
  return parts
    .map((path, index) => ({ path, value: parts[index + 2] ?? '' }))
    .filter(({ path }, index) => index % 3 === 0 && path !== '');
}

export function splitPaths(printed: string): string[] {
  return printed.split('\0').filter((path) => path !== '');
}

export function joinPaths(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join('');
}
