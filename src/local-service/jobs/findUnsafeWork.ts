import { exists } from '../../base/files';
import { type Git, GitError } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import { hostPlace, type JobFolders, removeStaleLocks } from '../git/jobClone';
import { commitsElsewhere } from '../git/commitsElsewhere';
import { ignoredWork } from '../git/ignoredWork';
import { stageWork } from '../git/stageWork';
import type { UserRepository } from '../git/userRepository';
import type { Job, Project } from '../store/jobStore';
import { TurnFailure } from '../turnFailure';

export interface UnsafeWork {
  text: CodedText;
  /** Whether `discard` would allow the folders to be removed. */
  canDiscard: boolean;
}

/**
 * Returns why a job's folders must not be removed; undefined when their content is safe: everything is committed, and
 * the commits are in a branch of the user's repository or on the Git host. Files that git ignores count as not
 * committed, unless they look generated, and so do the agent's commits on other branches, under tags, in linked
 * worktrees and in its stash.
 *
 * @param discard allows uncommitted work to be lost, but never commits
 */
export async function findUnsafeWork(
  parts: { git: Git; repository: Pick<UserRepository, 'holds'> },
  job: Job,
  project: Project,
  folders: JobFolders,
  discard: boolean,
): Promise<UnsafeWork | undefined> {
  const { git, repository } = parts;
  if (!(await exists(folders.hostGit))) {
    // There is nothing, or cloning was interrupted. The work folder is created later and never exists without this one.
    return undefined;
  }
  await removeStaleLocks(folders.hostGit, job.branch);
  const host = { folder: folders.hostGit, gitDir: folders.hostGit };
  const tip = (await git.run(host, ['rev-parse', '--verify', `refs/heads/${job.branch}`])).trim();
  const text =
    discard || !(await exists(folders.work)) ? undefined : await whyNotCommitted(git, folders, project.folder, tip);
  if (text !== undefined) {
    return { text, canDiscard: true };
  }
  if (tip === job.baseCommit || tip === job.pushedCommit || (await repository.holds(project.folder, tip))) {
    return undefined;
  }
  return { text: coded('workNotPublished', { folder: project.folder }), canDiscard: false };
}

async function whyNotCommitted(
  git: Git,
  folders: JobFolders,
  repository: string,
  tip: string,
): Promise<CodedText | undefined> {
  try {
    const tree = await stageWork(git, folders, repository, tip);
    if (tree !== (await git.run(hostPlace(folders), ['rev-parse', '--verify', `${tip}^{tree}`])).trim()) {
      return coded('workNotCommitted');
    }
    const ignored = await ignoredWork(git, folders, repository);
    if (ignored !== undefined) {
      return coded('workIgnored', { names: ignored, folder: folders.work });
    }
    const elsewhere = await commitsElsewhere(git, folders);
    return elsewhere === undefined ? undefined : coded('workElsewhere', { names: elsewhere, folder: folders.work });
  } catch (error) {
    if (error instanceof TurnFailure || error instanceof GitError) {
      return coded('workNotCommitted');
    }
    throw error;
  }
}
