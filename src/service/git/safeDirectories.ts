import { userConfiguration } from './userConfiguration';

/**
 * Which repositories of other users the user's own configuration (global, system) trusts, in its order, for `-c
 * safe.directory=…`. Empty when it can't be read.
 */
export async function safeDirectories(environment: NodeJS.ProcessEnv): Promise<string[]> {
  const settings = await userConfiguration(environment, '/').catch(() => []);
  return settings.filter(([name]) => name === 'safe.directory').flatMap(([, directory]) => withGitDirectory(directory));
}

/** Some versions ask for the git directory where they read from a repository (git 2.39.4, git-config(1)). */
function withGitDirectory(directory: string): string[] {
  // Empty forgets those before; a star stands for all, or for all below.
  return directory === '' || directory.endsWith('*')
    ? [directory]
    : [directory, `${directory.replace(/\/+$/, '')}/.git`];
}

/** What to do about a repository that git refuses because it is another user's; undefined for what else it printed. */
export function whyNotTrusted(stderr: string, folder: string): string | undefined {
  if (!/safe\.directory|dubious ownership/.test(stderr)) {
    return undefined;
  }
  const own = /^\s*(git config --global --add safe\.directory .+?)\s*$/m.exec(stderr)?.[1];
  const command = own ?? `git config --global --add safe.directory '${folder}'`;
  return `git does not trust this repository, because its folder belongs to another user. If you trust it, run “${command}”, then try again.`;
}
