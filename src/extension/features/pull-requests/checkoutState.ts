import { access, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readStart } from '../../../base/files';
import type { CheckoutRecord } from '../../../jobs/store/checkoutRecords';

/** The current state of the repository. */
export interface CheckoutNow {
  /** The checked out branch, otherwise the commit. */
  head: string;
  /** Where the record's stash is: the one “Pop Latest Stash” takes, below others, or gone. */
  stash: 'newest' | 'older' | 'gone';
}

/**
 * What a record means now. `onBranch`: the job's branch is checked out. `stashLeft`: it no longer is, but the changes
 * stashed for it still are stashed. `cut`: the window closed after stashing changes and before the branch was checked
 * out. `over`: there is nothing to go back to.
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
 * Returns the record of a checkout that follows another one in the same repository. Keeps both the way back and the
 * stash: the earlier checkout is stacked below it. When switching from one job's branch to another without a stash, the
 * way back stays that of the first.
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

/** The git operation that is in progress. */
export type Unfinished = 'merge' | 'rebase' | 'am' | 'cherry-pick' | 'revert';

/** Files that git keeps during the operation: the only sign of a merge whose conflicts are resolved. */
const TRACES: readonly [string, Unfinished][] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
];

/** How much of git's own files is read, in bytes; what is looked for comes first. */
const MAX_READ = 16 * 1024;

/**
 * Returns the operation in progress in the repository at a folder; a checkout would lose it or continue it on another
 * branch.
 */
export async function findUnfinishedOperation(root: string): Promise<Unfinished | undefined> {
  const folder = await gitFolder(root);
  for (const [name, command] of TRACES) {
    if (await exists(join(folder, name))) {
      return command;
    }
  }
  // Between two commits of a sequence.
  const rest = await readStart(join(folder, 'sequencer/todo'), MAX_READ);
  return rest === undefined ? undefined : /^revert\b/.test(rest) ? 'revert' : 'cherry-pick';
}

/** In linked worktrees and submodules, `.git` is a file that contains the path. */
async function gitFolder(root: string): Promise<string> {
  const path = join(root, '.git');
  const text = (await readStart(path, MAX_READ)) ?? '';
  const [, named] = /^gitdir: (.+?)\r?\n?$/.exec(text) ?? [];
  return named === undefined ? path : resolve(root, named);
}

/**
 * Changes whenever a stash is made, taken or dropped. Derived from the files in which git keeps stashes
 * (gitrepository-layout(5)); linked worktrees share them with their repository.
 */
export async function stashStamp(root: string): Promise<string> {
  const own = await gitFolder(root);
  const folder = resolve(own, ((await readStart(join(own, 'commondir'), MAX_READ)) ?? '').trim());
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
