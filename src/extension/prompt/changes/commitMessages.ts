import { BUDGETS } from '../../../prompt/budgets';
import { count, elide } from '../../../prompt/elide';
import { showControlCharacters } from '../../../prompt/fence';
import type { ChangeRepository, ChangeSource } from './changeSource';

/** So many commits of a range are named. */
const MAX_NAMED = 40;

/**
 * What the commits of a change say: the whole message of one, the first lines of several, the newest first. Undefined for
 * what is not committed. Throws GitError.
 */
export async function commitMessages(
  { git, place }: ChangeRepository,
  { base, head }: ChangeSource,
): Promise<string | undefined> {
  if (head === undefined) {
    return undefined;
  }
  const range = base === undefined ? [head] : [head, `^${base}`];
  const all = Number((await git.run(place, ['rev-list', '--count', ...range, '--'])).trim());
  const log = ['log', '--no-show-signature', '--no-color', '-z', `--max-count=${MAX_NAMED}`];
  const one = all === 1;
  const printed = await git.run(place, [...log, `--format=${one ? '%h %B' : '%h %s'}`, ...range, '--']);
  const commits = printed.split('\0').filter((text) => text !== '');
  const more = all > commits.length ? [`… and ${count(all - commits.length, 'more commit')}`] : [];
  const lines = [...commits.flatMap((text) => text.trim().split('\n')), ...more];
  return elide(lines.map((line) => showControlCharacters(line.replace(/\r$/, ''))).join('\n'), BUDGETS.messages);
}
