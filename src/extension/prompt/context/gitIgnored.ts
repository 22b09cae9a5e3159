import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type Git, GitError } from '../../../git/git';

/** `refused`: git answers for the repository, but not for this path, such as one inside a submodule without its `.git`. */
export type GitAnswer = 'ignored' | 'not ignored' | 'refused';

/** Which of the names git ignores; undefined when it refuses to answer. */
type Ask = (names: readonly string[]) => Promise<ReadonlySet<string> | undefined>;

/**
 * Asks git which files and folders it ignores, once for each repository that contains some of them. A path in a
 * repository for which git can't be asked is missing in the answer.
 *
 * The Git extension's own `checkIgnore` can't be used: it answers when its process has ended, its output read or not.
 *
 * @param paths absolute
 */
export async function askGitIgnored(git: Git, paths: readonly string[]): Promise<Map<string, GitAnswer>> {
  const repositories = new Map<string, Promise<string | undefined>>();
  const placed = await Promise.all(
    paths.map(async (path) => {
      // git does not look through links.
      const folder = await realpath(dirname(path)).catch(() => dirname(path));
      const repository = await repositoryAbove(folder, repositories);
      const inside = relative(repository ?? '', join(folder, basename(path)));
      return { path, repository, name: `./${inside.split(sep).join('/')}` };
    }),
  );
  const answers = new Map<string, GitAnswer>();
  for (const [repository, files] of Map.groupBy(placed, (file) => file.repository)) {
    const names = files.map(({ name }) => name);
    const found = repository === undefined ? undefined : await checkIgnore(await asker(git, repository), names);
    for (const { path, name } of files) {
      const answer = found?.get(name);
      if (answer !== undefined) {
        answers.set(path, answer);
      }
    }
  }
  return answers;
}

/** Undefined where git answers for no path of the repository. */
async function checkIgnore(ask: Ask, names: readonly string[]): Promise<Map<string, GitAnswer> | undefined> {
  const ignored = await ask(names);
  if (ignored !== undefined) {
    return toAnswers(names, ignored);
  }
  // One path that git refuses fails the whole command. What it refuses depends on the folder that contains the path.
  const folders = [...Map.groupBy(names, (name) => dirname(name)).values()];
  return (await ask(['./'])) === undefined ? undefined : askInHalves(ask, folders);
}

async function askInHalves(ask: Ask, folders: readonly string[][]): Promise<Map<string, GitAnswer>> {
  const names = folders.flat();
  const ignored = await ask(names);
  if (ignored !== undefined) {
    return toAnswers(names, ignored);
  }
  if (folders.length <= 1) {
    return new Map(names.map((name) => [name, 'refused']));
  }
  const middle = Math.ceil(folders.length / 2);
  const first = await askInHalves(ask, folders.slice(0, middle));
  return new Map([...first, ...(await askInHalves(ask, folders.slice(middle)))]);
}

function toAnswers(names: readonly string[], ignored: ReadonlySet<string>): Map<string, GitAnswer> {
  return new Map(names.map((name) => [name, ignored.has(name) ? 'ignored' : 'not ignored']));
}

async function asker(git: Git, repository: string): Promise<Ask> {
  const user = await git.configured(repository, 'core.excludesFile');
  const own = user === undefined ? [] : ['-c', `core.excludesFile=${user}`];
  // The command takes no literal paths; with a dot before it, none is a pattern of `:` either.
  const args = [...own, '--no-literal-pathspecs', 'check-ignore', '-z', '--stdin'];
  const home = process.env['XDG_CONFIG_HOME'];
  const environment: Record<string, string> = home === undefined ? {} : { XDG_CONFIG_HOME: home };
  return async (names) => {
    const input = names.map((name) => `${name}\0`).join('');
    try {
      return new Set((await git.run({ folder: repository }, args, { input, environment })).split('\0'));
    } catch (error) {
      // Exit code 1: none of them is (git-check-ignore(1)).
      return error instanceof GitError && error.exitCode === 1 ? new Set() : undefined;
    }
  };
}

/** The nearest folder at or above this one that contains a `.git`. */
export function repositoryAbove(
  folder: string,
  known = new Map<string, Promise<string | undefined>>(),
): Promise<string | undefined> {
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
