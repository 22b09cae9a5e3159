import type { Git } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import type { Destination } from '../forges/publisher';
import { changedCiFiles, CI_FILES } from '../git/ciFiles';
import type { UserRepository } from '../git/userRepository';
import type { Job } from '../store/jobStore';

interface WorkToPush {
  job: Pick<Job, 'id' | 'baseCommit' | 'pushedCommit' | 'pushedTo'>;
  commit: string;
  /** The user's work tree. */
  folder: string;
}

/**
 * Returns why the branch must not be pushed before the user has done something; undefined if it may be. A push can't be
 * undone, and it would publish commits of the user, or start CI that the agent has configured: Git hosts run what a
 * pushed branch contains, with the repository's secrets. Throws GitError.
 */
export async function whyNotPushed(
  { git, repository }: { git: Git; repository: UserRepository },
  { job: { id, baseCommit, pushedCommit, pushedTo }, commit, folder }: WorkToPush,
  { name: remote, url, references }: Destination,
): Promise<CodedText | undefined> {
  const query = { commit, jobId: id, references, pushed: pushedTo === url ? pushedCommit : null };
  const count = await repository.countUnpublished(folder, query);
  if (count === undefined) {
    return coded('commitsGone');
  }
  if (count > 0) {
    return count === 1 ? coded('commitNotPublished', { remote }) : coded('commitsNotPublished', { count, remote });
  }
  const names = baseCommit === null ? undefined : await changedCiFiles(git, folder, baseCommit, commit);
  // If the user has pushed the branch, the remote has them.
  return names !== undefined && (await repository.hasUnpublishedWork(folder, query, CI_FILES))
    ? coded('ciChanged', { names, remote })
    : undefined;
}
