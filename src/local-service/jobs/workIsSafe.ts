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
  /** Whether `discard` would let the folders go. */
  canDiscard: boolean;
}

/**
 * Why the folders of a job may not be removed; undefined when all that is in them is safe
 * elsewhere: nothing but what is committed, and that in a branch of the user's repository or at the code host.
 *
 * @param discard what is not committed may be lost; what is committed never
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
    // Clones that were cut off, or nothing. A work folder comes after it and is never alone.
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
