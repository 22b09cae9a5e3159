import { branchOf } from '../git/jobClone';
import type { UserRepository } from '../git/userRepository';
import type { Job } from '../store/jobStore';

/**
 * The commit that new clones of a job start from: its branch in the user's repository, with what the user added to it;
 * else what was published last, which the repository's objects may still hold; else the base.
 */
export async function startOf(
  repository: Pick<UserRepository, 'commitOf' | 'isAncestor'>,
  folder: string,
  job: Pick<Job, 'id' | 'publishedCommit'> & { baseCommit: string },
): Promise<string> {
  const { publishedCommit, baseCommit } = job;
  if (publishedCommit === null) {
    return baseCommit;
  }
  const branch = await repository.commitOf(folder, `refs/heads/${branchOf(job.id)}`);
  return branch !== undefined && (await repository.isAncestor(folder, publishedCommit, branch))
    ? branch
    : publishedCommit;
}
