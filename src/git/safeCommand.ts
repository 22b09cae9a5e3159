import { allowedEnvironment, userConfiguration } from './environment';

/** Where a git command runs. Without `gitDir`, git finds the repository that contains `folder`. */
export interface GitPlace {
  folder: string;
  gitDir?: string;
  workTree?: string;
  /** Added to the environment of every command run there. */
  environment?: Record<string, string>;
}

/**
 * Disables, on every command line, the settings with which a repository could run a program or widen the effect of a
 * command; the command line overrides all configuration files. `alternateRefsCommand` can't be empty, so it names a
 * program that prints nothing.
 */
const SAFE_CONFIGURATION = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.alternateRefsCommand=true',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  // Git for Windows otherwise limits paths to 260 characters, and a job’s folder is deep below the user’s profile.
  'core.longPaths=true',
  'core.quotePath=false',
  // Git treats a larger file as binary, so a low limit in the repository would hide text. This is the default.
  'core.bigFileThreshold=512m',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'diff.ignoreSubmodules=all',
  // Other formats run a second git inside the submodule, with the submodule's own configuration.
  'diff.submodule=short',
  // It may name a pipe, and reading that would block forever.
  'diff.orderFile=/dev/null',
  // Makes the output independent of how the user likes to see diffs.
  'diff.context=3',
  'diff.interHunkContext=0',
  'diff.suppressBlankEmpty=false',
  'diff.algorithm=default',
  'commit.gpgsign=false',
  // Otherwise, `git log` runs a program of the configuration for each signed commit.
  'log.showSignature=false',
  'gpg.program=false',
  'gpg.openpgp.program=false',
  'gpg.x509.program=false',
  'gpg.ssh.program=false',
  'gpg.ssh.defaultKeyCommand=',
  'protocol.ext.allow=never',
  // Plain files in the layout of a repository are not treated as one (git-config(1), safe.bareRepository).
  'safe.bareRepository=explicit',
  // Otherwise, a fetch from a folder could first contact a server, and ask for a password.
  'fetch.bundleURI=',
  'credential.helper=',
  'core.askPass=true',
];

/**
 * Git 2.43 to 2.45 reads attributes from the newest commit when there is no work tree, and an attribute such as `-diff`
 * would hide changes from the review. This is the empty tree; other versions ignore the setting, or have it as their default.
 */
const NO_ATTRIBUTES = ['-c', 'attr.tree=4b825dc642cb6eb9a060e54bf8d69288fbee4904'];

export const SAFE_ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  // Overrides every `protocol.*` setting of the repository. Before git 2.39.4 and 2.45.1, this alone keeps a partial
  // clone from fetching missing objects, which would run the program that its remote names.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  // A replaced object would be shown and merged instead of the real one.
  GIT_NO_REPLACE_OBJECTS: '1',
  // Grafts would give a commit other parents. There is no such file: git prints a warning for any that exists.
  GIT_GRAFT_FILE: '/dev/null/none',
  LC_ALL: 'C',
};

/** These commands use local paths, which a `url.*.insteadOf` can't turn into ssh or ext. */
const OF_FOLDERS = new Set(['clone', 'fetch']);

export interface SafeCommand {
  args: string[];
  env: Record<string, string>;
}

/**
 * Builds the command line and environment of a git command that runs no program chosen by the repository.
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
    const hasFiles = place.workTree !== undefined && place.workTree !== place.gitDir;
    all.push(`--git-dir=${place.gitDir}`, ...(hasFiles ? [] : NO_ATTRIBUTES));
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
 * Repositories of other users that the user's own configuration (global, system) trusts, in its order, for
 * `-c safe.directory=…`. Empty when the configuration can't be read.
 */
export async function safeDirectories(environment: NodeJS.ProcessEnv, program?: string): Promise<string[]> {
  const settings = await userConfiguration(environment, '/', program).catch(() => []);
  return settings.filter(([name]) => name === 'safe.directory').flatMap(([, directory]) => withGitDirectory(directory));
}

/** When reading from a repository, some versions check the git directory instead (git 2.39.4, git-config(1)). */
function withGitDirectory(directory: string): string[] {
  // An empty value resets the list; a star stands for all repositories, or for all below a folder.
  return directory === '' || directory.endsWith('*')
    ? [directory]
    : [directory, `${directory.replace(/(?<!\/)\/+$/, '')}/.git`];
}
