import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../../shared/util/logger';
import { type Git, GitError } from '../../../git/git';
import type { JobLocks } from '../../runner/jobLocks';
import { changedPaths } from './changedPaths';
import { type Checkout, readCheckout } from './checkout';
import { type IndexLock, lockIndex } from './indexLock';
import { readJournal } from './journal';
import { MergeRefusal } from './mergeRefusal';
import type { MergeWish } from './planMerge';
import { rollBack } from './rollBack';

/**
 * Brings a merge of the job that was cut off to its end where only the branch was left to be moved, and else back to
 * where it began. Throws MergeRefusal when that can't be done now.
 */
export async function finishCutOff(git: Git, directory: string, jobId: string): Promise<void> {
  const journal = await readJournal(directory);
  if (journal === undefined) {
    return;
  }
  const checkout = await readCheckout(git, journal.folder);
  const lock = await lockIndex(checkout.indexFile, jobId);
  const { from, to } = journal;
  try {
    // Elsewhere means that the user took the lock away and went on by themselves.
    if (to !== null && checkout.ref === journal.ref && checkout.head === from) {
      if (await isInstalled(checkout, lock, { from, to })) {
        await moveBranch(checkout, to, { jobId });
      } else {
        await rollBack(checkout, from, to, join(directory, 'roll-back'));
      }
    }
  } catch (error) {
    throw error instanceof GitError
      ? new MergeRefusal(`A merge was cut off and can’t be ended: ${error.message}`)
      : error;
  } finally {
    await lock.release();
  }
  await rm(directory, { recursive: true, force: true });
}

/** Finishes what was cut off by the end of an earlier process, as far as that can be done now. */
export async function finishAllCutOff(
  { git, mergesFolder, locks }: { git: Git; mergesFolder: string; locks: Pick<JobLocks, 'hold'> },
  log: Logger,
): Promise<void> {
  for (const jobId of await readdir(mergesFolder).catch(() => [])) {
    await locks
      .hold(jobId, () => finishCutOff(git, join(mergesFolder, jobId), jobId))
      .catch((error: unknown) => log.warn(`a merge of job ${jobId} was cut off and is not finished: ${String(error)}`));
  }
}

/** Moves the branch from the commit that it had at the start, and only from that. Throws GitError. */
export async function moveBranch(
  { run, ref, head }: Checkout,
  commit: string,
  { jobId, author }: Pick<MergeWish, 'jobId'> & Partial<Pick<MergeWish, 'author'>>,
): Promise<void> {
  const environment = {
    GIT_COMMITTER_NAME: author?.name ?? 'Docs Agent',
    GIT_COMMITTER_EMAIL: author?.email ?? 'docs-agent@localhost',
  };
  await run(['update-ref', '-m', `merge docs-agent/${jobId}`, ref, commit, head], { environment });
}

async function isInstalled(
  checkout: Checkout,
  { environment }: IndexLock,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const args = ['diff-index', '--cached', '--name-only', '-z', '--no-ext-diff', to, '--'];
  const different = new Set((await checkout.run(args, { environment })).split('\0'));
  const changes = await changedPaths(checkout, from, to);
  return changes.every(({ path }) => !different.has(path));
}
