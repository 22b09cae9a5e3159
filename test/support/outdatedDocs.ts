import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './temporaryRepository';

/** The page, relative to the repository, and its text. It mentions a name twice that is renamed later. */
export const OUTDATED_PAGE = 'docs/retries.md';
export const OUTDATED_TEXT = '# Retries\n\nSet `attempts` and `baseDelayMs`.\n\nMore `attempts` take longer.\n';

/** The subject of the commit that renames `attempts` to `maxAttempts`. */
export const RENAME = 'Say that it is a limit';

/** Adds two commits to the small repository: a page about the code, and a change of the code that outdates the page. */
export async function outdateDocs(repository: string): Promise<void> {
  const commit = async (subject: string): Promise<void> => {
    await git(repository, 'add', '--all');
    await git(repository, 'commit', '--quiet', '-m', subject);
  };
  await rm(join(repository, 'docs/getting-started.md'));
  await writeFile(join(repository, OUTDATED_PAGE), OUTDATED_TEXT);
  await commit('Describe retries');
  const source = join(repository, 'src/retry.ts');
  await writeFile(source, (await readFile(source, 'utf8')).replaceAll('attempts', 'maxAttempts'));
  await commit(RENAME);
}
