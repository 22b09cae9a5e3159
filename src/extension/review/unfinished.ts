import { access, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The git command that a user has begun and not brought to its end. */
export type Unfinished = 'merge' | 'rebase' | 'am' | 'cherry-pick' | 'revert';

/** What git keeps in its folder meanwhile: a merge whose conflicts are resolved shows in nothing else. */
const TRACES: readonly [string, Unfinished][] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
];

/** What goes on in the repository at a folder and would be lost, or go on with another branch, by a checkout. */
export async function unfinished(root: string): Promise<Unfinished | undefined> {
  const folder = await gitFolder(root);
  for (const [name, command] of TRACES) {
    if (await exists(join(folder, name))) {
      return command;
    }
  }
  // Between two of several commits.
  const rest = await readFile(join(folder, 'sequencer/todo'), 'utf8').catch(() => undefined);
  return rest === undefined ? undefined : /^revert\b/.test(rest) ? 'revert' : 'cherry-pick';
}

/** In a linked working tree and in a submodule a file tells where it is. */
async function gitFolder(root: string): Promise<string> {
  const path = join(root, '.git');
  const text = await readFile(path, 'utf8').catch(() => '');
  const [, named] = /^gitdir: (.+?)\r?\n?$/.exec(text) ?? [];
  return named === undefined ? path : resolve(root, named);
}

/**
 * Changes whenever a stash is made, taken or dropped: the files in which git keeps them (gitrepository-layout(5)), which a
 * linked working tree shares with its repository.
 */
export async function stashStamp(root: string): Promise<string> {
  const own = await gitFolder(root);
  const folder = resolve(own, (await readFile(join(own, 'commondir'), 'utf8').catch(() => '')).trim());
  const files = ['logs/refs/stash', 'reftable/tables.list'].map((name) =>
    stat(join(folder, name)).catch(() => undefined),
  );
  return (await Promise.all(files)).map((file) => `${file?.mtimeMs ?? ''} ${file?.size ?? ''}`).join('\n');
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
