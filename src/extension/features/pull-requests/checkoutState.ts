import { access, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CheckoutRecord } from '../../../jobs/store/checkoutRecords';

/** How things are in the repository now. */
export interface CheckoutNow {
  /** The branch that is checked out, or else the commit. */
  head: string;
  /** Where the stash of the record is: the one that “Pop Latest Stash” takes, below others, or taken out. */
  stash: 'newest' | 'older' | 'gone';
}

/**
 * What a record means now. `onBranch`: the job's branch is checked out. `stashLeft`: it is not any more, and the changes
 * that were stashed for it still are. `cut`: the window ended after it stashed changes and before it had the branch
 * checked out. `over`: nothing is left to go back to.
 */
export type CheckoutState = 'onBranch' | 'stashLeft' | 'cut' | 'over';

export function checkoutState({ ref, before, step }: CheckoutRecord, { head, stash }: CheckoutNow): CheckoutState {
  if (head === ref) {
    return 'onBranch';
  }
  if (stash === 'gone') {
    return 'over';
  }
  return step !== 'there' && head === before ? 'cut' : 'stashLeft';
}

/**
 * The record of a checkout that follows another one in the same repository. It loses neither the way back nor a stash:
 * the earlier checkout stays below it. From one job's branch to the next with nothing to stash it goes back as before.
 */
export function recordAfter(last: CheckoutRecord | undefined, next: CheckoutRecord): CheckoutRecord {
  if (last === undefined) {
    return next;
  }
  if (next.step === 'there' && next.message === undefined && last.ref === next.before) {
    return next.ref === last.before ? last : { ...last, ref: next.ref, step: 'there' };
  }
  const { ref, before, step, message, stash, earlier = [] } = last;
  return { ...next, earlier: [{ ref, before, step, message, stash }, ...earlier] };
}

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
