import { userConfiguration } from './userConfiguration';

/**
 * Which repositories of other users the user's own configuration (global, system) trusts, in its order, for `-c
 * safe.directory=…`. Empty when it can't be read.
 */
export async function safeDirectories(environment: NodeJS.ProcessEnv, program?: string): Promise<string[]> {
  const settings = await userConfiguration(environment, '/', program).catch(() => []);
  return settings.filter(([name]) => name === 'safe.directory').flatMap(([, directory]) => withGitDirectory(directory));
}

/** Some versions ask for the git directory where they read from a repository (git 2.39.4, git-config(1)). */
function withGitDirectory(directory: string): string[] {
  // Empty forgets those before; a star stands for all, or for all below.
  return directory === '' || directory.endsWith('*')
    ? [directory]
    : [directory, `${directory.replace(/\/+$/, '')}/.git`];
}
