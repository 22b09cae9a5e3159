import * as z from 'zod/mini';
import { decodeJson } from '../base/json';
import { minLength } from '../base/lengthChecks';

/** The file with a repository's own settings, relative to the repository. */
export const CONFIGURATION_FILE = '.docs-agent/checks.json';

const text = z.string().check(minLength(1));
const globs = z._default(z.array(text), []);

const schema = z.strictObject({
  $schema: z.optional(z.string()),
  /** Names, and targets of links, that are never reported, and why. */
  ignore: z._default(z.array(z.strictObject({ name: text, reason: text })), []),
  /** Globs of the pages that are checked; all pages when empty. */
  documentation: globs,
  /** Globs of the files that count as code; when empty, everything outside of the documentation. */
  code: globs,
});

export type ChecksConfiguration = z.infer<typeof schema>;

export const NO_CONFIGURATION: ChecksConfiguration = { ignore: [], documentation: [], code: [] };

/** The file exists, but can't be used. The message is for the user. */
export class ConfigurationError extends Error {}

/**
 * Throws ConfigurationError rather than ignore an error: a check with settings other than those in the file would be
 * misleading.
 */
export function readConfiguration(json: string): ChecksConfiguration {
  const value = decodeJson(json);
  if (value === undefined) {
    throw new ConfigurationError(`“${CONFIGURATION_FILE}” isn’t valid JSON, or is too long.`);
  }
  const read = schema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue === undefined || issue.path.length === 0 ? '' : ` at “${issue.path.join('.').slice(0, 100)}”`;
    throw new ConfigurationError(
      `“${CONFIGURATION_FILE}” can’t be used${where}: ${issue?.message.slice(0, 200) ?? 'it has another form'}.`,
    );
  }
  return read.data;
}

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
