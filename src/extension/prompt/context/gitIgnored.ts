import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type Git, GitError } from '../../../git/git';

/**
 * Asks git which files and folders it ignores, once for each repository that contains some of them. A path for which git
 * can't be asked is missing in the answer.
 *
 * The Git extension's own `checkIgnore` can't be used: it answers when its process has ended, its output read or not.
 *
 * @param paths absolute
 */
export async function askGitIgnored(git: Git, paths: readonly string[]): Promise<Map<string, boolean>> {
  const repositories = new Map<string, Promise<string | undefined>>();
  const placed = await Promise.all(
    paths.map(async (path) => {
      // git does not look through links.
      const folder = await realpath(dirname(path)).catch(() => dirname(path));
      const repository = await repositoryAbove(folder, repositories);
      return { path, repository, inside: relative(repository ?? '', join(folder, basename(path))) };
    }),
  );
  const answers = new Map<string, boolean>();
  for (const [repository, files] of Map.groupBy(placed, (file) => file.repository)) {
    const names = new Map(files.map(({ path, inside }) => [path, `./${inside.split(sep).join('/')}`]));
    const ignored = repository === undefined ? undefined : await checkIgnore(git, repository, [...names.values()]);
    names.forEach((name, path) => ignored !== undefined && answers.set(path, ignored.has(name)));
  }
  return answers;
}

/** Undefined where git refuses to answer. */
async function checkIgnore(git: Git, repository: string, names: readonly string[]): Promise<Set<string> | undefined> {
  const user = await git.configured(repository, 'core.excludesFile');
  const own = user === undefined ? [] : ['-c', `core.excludesFile=${user}`];
  // The command takes no literal paths; with a dot before it, none is a pattern of `:` either.
  const args = [...own, '--no-literal-pathspecs', 'check-ignore', '-z', '--stdin'];
  const home = process.env['XDG_CONFIG_HOME'];
  const environment: Record<string, string> = home === undefined ? {} : { XDG_CONFIG_HOME: home };
  try {
    const input = names.map((name) => `${name}\0`).join('');
    return new Set((await git.run({ folder: repository }, args, { input, environment })).split('\0'));
  } catch (error) {
    // Exit code 1: none of them is (git-check-ignore(1)).
    return error instanceof GitError && error.exitCode === 1 ? new Set() : undefined;
  }
}

/** The nearest folder at or above this one that contains a `.git`. */
function repositoryAbove(folder: string, known: Map<string, Promise<string | undefined>>): Promise<string | undefined> {
  const find = async (): Promise<string | undefined> => {
    const isRepository = await lstat(join(folder, '.git')).then(
      () => true,
      () => false,
    );
    const above = dirname(folder);
    return isRepository ? folder : above === folder ? undefined : repositoryAbove(above, known);
  };
  const found = known.get(folder) ?? find();
  known.set(folder, found);
  return found;
}
