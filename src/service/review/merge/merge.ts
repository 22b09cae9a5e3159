import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, GitError } from '../../../git/git';
import { makePrivateFolder } from '../../../shared/util/fileModes';
import { changedPaths, type ChangedPath, refuseFiltered, refuseInTheWay, refuseOddKinds } from './changedPaths';
import { branchName, type Checkout, readCheckout } from './checkout';
import { finishCutOff, moveBranch } from './finishCutOff';
import { type IndexLock, lockIndex } from './indexLock';
import { type Journal, readJournal, removeJournal, writeJournal } from './journal';
import { MergeRefusal, named } from './mergeRefusal';
import { mergeCommit, mergedTree, type MergeKind, type MergeWish, planMerge, refuseOtherBranch } from './planMerge';
import { rollBackRefused } from './rollBack';

/** What became of a merge. */
export interface Merged {
  kind: MergeKind['kind'];
  /** The branch that the work is in now. */
  branch: string;
}

/**
 * Merges a job's branch into the branch that the user is on, which must be the one they were shown, at the commit that
 * they were shown, and hold the commit that the work was made from: the branch moves forward where it can, or gets a merge
 * commit. Only the changed files of the work tree and their entries in the index are written, and only when none of them
 * holds uncommitted work. No hook, filter, merge driver or other program that the repository names runs.
 *
 * A process that is killed in the middle leaves git's lock on the index and a journal, by which the next call, or the
 * next start of the service, brings everything to its end or back. One call at a time for a job.
 *
 * @param folder the user's work tree
 * @param directory a folder for this job's merge alone, which may not be there
 * @returns throws MergeRefusal, and has changed nothing then
 */
export async function mergeWork(git: Git, folder: string, directory: string, wish: MergeWish): Promise<Merged> {
  await finishCutOff(git, directory, wish.jobId);
  const checkout = await readCheckout(git, folder);
  refuseOtherBranch(checkout, wish);
  const scratch = join(directory, 'merge');
  await rm(scratch, { recursive: true, force: true });
  await makePrivateFolder(join(scratch, 'objects'));
  try {
    return await mergeInto(checkout, scratch, directory, wish);
  } catch (error) {
    throw error instanceof GitError ? new MergeRefusal(`This can’t be merged here: ${error.message}`) : error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
    // Not while it holds a journal.
    await rmdir(directory).catch(() => undefined);
  }
}

async function mergeInto(checkout: Checkout, scratch: string, directory: string, wish: MergeWish): Promise<Merged> {
  const aside = quarantine(checkout, scratch);
  const plan = await planMerge(checkout, wish, { environment: aside });
  const result: Merged = { kind: plan.kind, branch: branchName(checkout) };
  if (plan.kind === 'already') {
    return result;
  }
  const target = plan.kind === 'merge' ? plan.tree : wish.commit;
  const changes = await changedPaths(checkout, checkout.head, target, { environment: aside });
  await refuseOddKinds(checkout, changes, { environment: aside });
  const indexes = ['before', 'after'].map((name) => ({ ...aside, GIT_INDEX_FILE: join(scratch, name) }));
  await checkout.run(['read-tree', checkout.head], { environment: indexes[0] ?? {} });
  await checkout.run(['read-tree', target], { environment: indexes[1] ?? {} });
  await refuseFiltered(checkout, changes, indexes);

  const { folder, ref, head: from } = checkout;
  const journal: Journal = { version: 1, folder, ref, from, to: null };
  // Before the lock: one that is left behind is found again by its journal.
  await writeJournal(directory, journal);
  let lock: IndexLock | undefined;
  try {
    lock = await lockIndex(checkout.indexFile, wish.jobId);
    await refuseDirty(checkout, lock, changes);
    await refuseInTheWay(checkout, changes);
    const environment = { ...aside, ...lock.environment };
    await checkout.run(['read-tree', '-n', '-m', '-u', from, target], { environment });
    const commit =
      plan.kind === 'merge' ? await mergeCommit(checkout, wish, await mergedTree(checkout, wish)) : wish.commit;
    await writeJournal(directory, { ...journal, to: commit });
    await write(checkout, lock, { commit, directory, wish });
  } catch (error) {
    await lock?.release();
    // What could not be undone now is tried again by its journal.
    if ((await readJournal(directory))?.to === null) {
      await removeJournal(directory);
    }
    throw error;
  }
  await lock.release();
  await removeJournal(directory);
  return result;
}

/** Writes files, index and branch, in this order: what is cut off before the last is not merged, and can be told. */
async function write(
  checkout: Checkout,
  lock: IndexLock,
  { commit, directory, wish }: { commit: string; directory: string; wish: MergeWish },
): Promise<void> {
  const { folder, ref, head: from, run } = checkout;
  const undone = (): Promise<void> => writeJournal(directory, { version: 1, folder, ref, from, to: null });
  try {
    await run(['read-tree', '-m', '-u', from, commit], lock);
  } catch (error) {
    // git looks first whether it may, so that this is a file that was changed since we looked, a disk that is full or a
    // file that can't be written.
    const changedMeanwhile = await rollBackRefused(checkout, from, commit, join(directory, 'roll-back'));
    await undone();
    throw changedMeanwhile.length > 0 ? uncommitted(changedMeanwhile) : error;
  }
  await lock.install();
  try {
    await moveBranch(checkout, commit, wish);
  } catch {
    await lock.copyAgain();
    await run(['read-tree', '-m', '-u', commit, from], lock);
    await lock.install();
    await undone();
    throw new MergeRefusal('Your branch was changed at the same moment. Nothing was merged; try again.');
  }
}

/** Throws MergeRefusal when a changed file holds work that is not committed, or when the branch has moved meanwhile. */
async function refuseDirty(
  { run, ref, head }: Checkout,
  lock: IndexLock,
  changes: readonly ChangedPath[],
): Promise<void> {
  const present = (await run(['symbolic-ref', '--quiet', 'HEAD'])).trim();
  if (present !== ref || (await run(['rev-parse', '--verify', ref])).trim() !== head) {
    throw new MergeRefusal('Your branch was changed at the same moment. Nothing was merged; try again.');
  }
  // Its code is 1 when some files differ, which is asked for next.
  await run(['update-index', '-q', '--refresh'], lock).catch(() => '');
  const [unstaged, staged] = [
    // Else git would look into submodules, by the configuration that each has.
    await run(['diff-files', '--name-only', '-z', '--no-ext-diff', '--ignore-submodules=all'], lock),
    await run(['diff-index', '--cached', '--name-only', '-z', '--no-ext-diff', head, '--'], lock),
  ];
  const own = new Set([...unstaged.split('\0'), ...staged.split('\0')]);
  const dirty = changes.map(({ path }) => path).filter((path) => own.has(path));
  if (dirty.length > 0) {
    throw uncommitted(dirty);
  }
}

function uncommitted(paths: readonly string[]): MergeRefusal {
  return new MergeRefusal(
    `You have uncommitted changes in ${named(paths)}, which this merge changes too. Commit or stash them, then try again.`,
  );
}

/** Environment in which new objects go to a folder of their own, so that a merge that is refused leaves none behind. */
function quarantine({ objects }: Checkout, scratch: string): Record<string, string> {
  return {
    GIT_OBJECT_DIRECTORY: join(scratch, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${objects.replace(/["\\]/g, '\\$&')}"`,
  };
}
