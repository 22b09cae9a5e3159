import { coded } from '../../shared/protocol/codedText';
import { join } from 'node:path';
import { TurnFailure } from '../runner/turnFailure';
import type { Git } from '../../git/git';
import { publishBranch } from './publishBranch';

/**
 * Brings the branch into a repository on this machine. It is fetched there by a git that runs nothing: a push would run
 * the hooks and the configuration of a folder that may have come with the repository itself. Throws TurnFailure.
 */
export async function pushToFolder(git: Git, folder: string, hostGit: string, branch: string): Promise<void> {
  const gitDir = await gitDirectoryOf(git, folder);
  if (gitDir === undefined) {
    throw new TurnFailure(coded('remoteNoRepository', { folder }));
  }
  await publishBranch(git, { folder: gitDir, gitDir }, hostGit, branch, coded('theRemote', { folder }));
}

/** Where git would look for it, in its order (git-fetch(1), `enter_repo`). */
async function gitDirectoryOf(git: Git, folder: string): Promise<string | undefined> {
  for (const candidate of [join(folder, '.git'), folder, join(`${folder}.git`, '.git'), `${folder}.git`]) {
    try {
      const found = await git.run({ folder: '/', gitDir: candidate }, ['rev-parse', '--absolute-git-dir']);
      return found.replace(/\r?\n$/, '');
    } catch {
      // Not this one.
    }
  }
  return undefined;
}
