import { StringDecoder } from 'node:string_decoder';
import { GitError } from './errors';
import { type Git, GIT_MS } from './git';
import type { GitPlace } from './safeCommand';

/** Longer than any path that a system accepts, in characters. */
const MAX_ENTRY = 64 * 1024;

/**
 * Runs a command that ends each entry with a NUL, such as one with `-z`. Returns the entries in lists as they arrive:
 * however many there are, reading them doesn't block the thread for long. Throws GitError, also for an entry that can't
 * be a path, or the signal's reason.
 *
 * @param encoding `latin1` for one character per byte, because names need not be UTF-8
 */
export async function* streamEntries(
  git: Pick<Git, 'stream'>,
  place: GitPlace,
  args: readonly string[],
  {
    encoding = 'utf8',
    signal = AbortSignal.timeout(GIT_MS),
  }: { encoding?: 'utf8' | 'latin1'; signal?: AbortSignal } = {},
): AsyncGenerator<string[], void> {
  const decoder = new StringDecoder(encoding);
  let rest = '';
  for await (const bytes of git.stream(place, args, signal)) {
    const entries = (rest + decoder.write(bytes)).split('\0');
    rest = entries.pop() ?? '';
    if (rest.length > MAX_ENTRY) {
      throw new GitError('git printed a name that is too long', undefined, undefined);
    }
    yield entries;
  }
}
