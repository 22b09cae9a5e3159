import { allowedEnvironment, userConfiguration } from './environment';

/** Where one git command works. Without `gitDir` git finds the repository that holds `folder`. */
export interface GitPlace {
  folder: string;
  gitDir?: string;
  workTree?: string;
  /** Added to the environment of each command there. */
  environment?: Record<string, string>;
}

/**
 * What a repository may configure to have a program run, or to have more touched than was asked for, is switched off on
 * every command line: there it outranks each configuration file. `alternateRefsCommand` takes no empty value, so it
 * names a program that prints nothing.
 */
const SAFE_CONFIGURATION = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.alternateRefsCommand=true',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  // Git for Windows: else no path of more than 260 characters, and a job’s folder stands deep below the user’s profile.
  'core.longPaths=true',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'diff.ignoreSubmodules=all',
  // Another form runs a second git inside the submodule, by the submodule's own configuration.
  'diff.submodule=short',
  // It may name a pipe, whose reader waits for ever.
  'diff.orderFile=/dev/null',
  'commit.gpgsign=false',
  'protocol.ext.allow=never',
  // A folder of plain files that look like a repository is none (git-config(1), safe.bareRepository).
  'safe.bareRepository=explicit',
  // A fetch from a folder asks no server first, and asks nobody for a password.
  'fetch.bundleURI=',
  'credential.helper=',
  'core.askPass=true',
];

export const SAFE_ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  // Overrides every `protocol.*` of the repository. Before git 2.39.4 and 2.45.1 it alone keeps a partial clone from
  // fetching what it lacks, which would run the program that its remote names.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  LC_ALL: 'C',
};

/** These work on local paths, which a `url.*.insteadOf` cannot turn into ssh or ext. */
const OF_FOLDERS = new Set(['clone', 'fetch']);

export interface SafeCommand {
  args: string[];
  env: Record<string, string>;
}

/**
 * The whole command line and environment of a git command that runs nothing which the repository names by itself.
 *
 * @param trusted directories of other users that the user's own configuration trusts
 */
export function safeCommand(
  environment: NodeJS.ProcessEnv,
  trusted: readonly string[],
  place: GitPlace,
  args: readonly string[],
): SafeCommand {
  const settings = [...SAFE_CONFIGURATION, ...trusted.map((directory) => `safe.directory=${directory}`)];
  const all = [...settings.flatMap((setting) => ['-c', setting]), '--no-pager', '--literal-pathspecs'];
  if (place.gitDir !== undefined) {
    all.push(`--git-dir=${place.gitDir}`);
  }
  if (place.workTree !== undefined) {
    all.push(`--work-tree=${place.workTree}`);
  }
  const protocol = OF_FOLDERS.has(args[0] ?? '') ? { GIT_ALLOW_PROTOCOL: 'file' } : {};
  return {
    args: [...all, ...args],
    env: { ...allowedEnvironment(environment), ...SAFE_ENVIRONMENT, ...protocol, ...place.environment },
  };
}

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
