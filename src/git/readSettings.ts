import { type Git, GitError, type GitPlace } from './git';

/**
 * Reads the settings of a repository whose names match, in git's order. A name without a value has an empty one. The
 * name of the section and of the variable are in lower case. Throws GitError, also when they are too many: a repository
 * can contain any number of settings.
 *
 * @param names a POSIX extended regular expression
 */
export async function readSettings(
  git: Pick<Git, 'run'>,
  place: GitPlace,
  names: string,
): Promise<[name: string, value: string][]> {
  const listed = await git.run(place, ['config', '--null', '--get-regexp', names]).catch((error: unknown) => {
    if (error instanceof GitError && error.exitCode === 1) {
      return '';
    }
    throw error instanceof GitError && error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' ? tooManySettings() : error;
  });
  // Name LF value NUL.
  const entries = listed.split('\0').slice(0, -1);
  return entries.map((entry) => {
    const end = entry.indexOf('\n');
    return end === -1 ? [entry, ''] : [entry.slice(0, end), entry.slice(end + 1)];
  });
}

/** Names what callers look for. */
export function tooManySettings(): GitError {
  const words =
    'The Git configuration of this repository has too many remotes, filters, or hooks. Remove those that aren’t needed.';
  return new GitError(words, undefined, undefined);
}

/** Returns a pattern for `readSettings` that matches the text itself. */
export function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
