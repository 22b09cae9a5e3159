import { addSettings, disableRepositoryPrograms } from '../../git/disableRepositoryPrograms';
import type { Git, GitPlace } from '../../git/git';
import { hostPlace, type JobFolders } from './jobClone';

/**
 * Where the service looks for work to commit. Git runs no program there, because an agent that is not confined can write
 * to the service's git directory, and ignores what the user's own git ignores in all repositories. The user's
 * configuration for their own repository decides that, because the agent can change that of its clone.
 *
 * @param repository the folder of the user's repository
 */
export async function stagingPlace(git: Git, folders: JobFolders, repository: string): Promise<GitPlace> {
  const host = await disableRepositoryPrograms(git, hostPlace(folders));
  return addSettings(host, [['core.excludesFile', await git.excludesFile(repository)]]);
}
