import { disableRepositoryPrograms } from '../../git/disableRepositoryPrograms';
import { type Git, GitError, type GitPlace } from '../../git/git';
import { KEPT } from '../git/branchName';
import type { MergeOptions } from './merge';
import { isBeingRebased } from './mergeTarget';

/**
 * Deletes the branch of merged work from the user's repository, if it still points to the merged commit and no work
 * tree uses it. Another reference keeps the commit, so that the branch can be restored and the job can go on. Never
 * fails, because the work is merged either way. Returns whether the branch was deleted.
 *
 * @param folder the user's work tree
 */
export async function deleteMergedBranch(
  git: Git,
  folder: string,
  { branch, commit, jobId }: Pick<MergeOptions, 'branch' | 'commit' | 'jobId'>,
): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  try {
    const place = await disableRepositoryPrograms(git, { folder });
    if (!(await isFree(git, place, { branch, commit }))) {
      return false;
    }
    // One transaction, which is refused if the branch has changed in the meantime. Without `no-deref`, a reference that
    // leads to another branch would delete that one.
    const commands = [`update ${KEPT}/${jobId} ${commit}`, `delete ${ref} ${commit}`];
    const input = ['start', ...commands.flatMap((each) => ['option no-deref', each]), 'commit', ''].join('\n');
    await git.run(place, ['update-ref', '--stdin'], { input });
    return true;
  } catch (error) {
    if (error instanceof GitError) {
      return false;
    }
    throw error;
  }
}

/** Returns whether a merge would delete the branch. Never fails, because the question is about the merge. */
export async function deletesMergedBranch(git: Git, folder: string, work: Work): Promise<boolean> {
  return isFree(git, await disableRepositoryPrograms(git, { folder }), work).catch(() => false);
}

type Work = Pick<MergeOptions, 'branch' | 'commit'>;

async function isFree(git: Git, place: GitPlace, { branch, commit }: Work): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const format = '--format=%(refname) %(objectname)%(worktreepath)';
  const listed = (await git.run(place, ['for-each-ref', format, ref])).split('\n');
  return listed.includes(`${ref} ${commit}`) && !(await isBeingRebased(branch, (args) => git.run(place, args)));
}
