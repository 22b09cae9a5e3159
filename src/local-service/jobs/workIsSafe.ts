import { stat } from 'node:fs/promises';
import { type Git, GitError } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import { branchOf, hostPlace, type JobFolders, removeStaleLocks } from '../git/jobClone';
import { stageWork } from '../git/stageWork';
import type { UserRepository } from '../git/userRepository';
import type { Job, Project } from '../store/jobStore';
import { TurnFailure } from './guidance';

export interface WhyNotSafe {
  text: CodedText;
  /** Whether `discard` would allow the folders to be removed. */
  canDiscard: boolean;
}

/**
 * Returns why a job's folders must not be removed; undefined when their content is safe: everything is committed, and
 * the commits are in a branch of the user's repository or on the code host.
 *
 * @param discard allows uncommitted work to be lost, but never commits
 */
export async function whyNotSafe(
  parts: { git: Git; repository: UserRepository },
  job: Job,
  project: Project,
  folders: JobFolders,
  discard: boolean,
): Promise<WhyNotSafe | undefined> {
  const { git, repository } = parts;
  if (!(await exists(folders.hostGit))) {
    // There is nothing, or cloning was interrupted. The work folder is created later and never exists without this one.
    return undefined;
  }
  await removeStaleLocks(folders.hostGit, branchOf(job.id));
  const host = { folder: folders.hostGit, gitDir: folders.hostGit };
  const tip = (await git.run(host, ['rev-parse', '--verify', `refs/heads/${branchOf(job.id)}`])).trim();
  if (!discard && (await exists(folders.work)) && !(await isCommitted(git, folders, tip))) {
    return { text: coded('workNotCommitted'), canDiscard: true };
  }
  if (tip === job.baseCommit || tip === job.pushedCommit || (await repository.holds(project.folder, tip))) {
    return undefined;
  }
  return { text: coded('workNotPublished', { folder: project.folder }), canDiscard: false };
}

async function isCommitted(git: Git, folders: JobFolders, tip: string): Promise<boolean> {
  try {
    const tree = await stageWork(git, folders, tip);
    return tree === (await git.run(hostPlace(folders), ['rev-parse', '--verify', `${tip}^{tree}`])).trim();
  } catch (error) {
    if (error instanceof TurnFailure || error instanceof GitError) {
      return false;
    }
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
