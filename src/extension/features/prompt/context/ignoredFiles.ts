import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { Git, GitError } from '../../../../git/git';

/**
 * Returns those of the files and folders (as strings) that git ignores, or can't decide about. Where git can't be run,
 * as in Restricted Mode or outside of a repository, nothing is ignored.
 */
export async function ignoredAmong(uris: readonly vscode.Uri[]): Promise<Set<string>> {
  const onDisk = vscode.workspace.isTrusted ? uris.filter(({ scheme }) => scheme === 'file') : [];
  const ignored = await askGitIgnored(
    new Git(process.env),
    onDisk.map(({ fsPath }) => fsPath),
  );
  // On a case-insensitive disk, `.GIT` is the same folder.
  const isIgnored = ({ fsPath, path }: vscode.Uri): boolean => ignored.has(fsPath) || /(^|\/)\.git(\/|$)/i.test(path);
  return new Set(uris.filter(isIgnored).map(String));
}

/**
 * Asks git which files and folders it ignores, once per repository. If git doesn't answer, as for a file in a submodule
 * without its `.git`, all that were asked about count as ignored.
 *
 * @param paths absolute
 */
export async function askGitIgnored(git: Git, paths: readonly string[]): Promise<Set<string>> {
  const placed = await Promise.all(
    paths.map(async (path) => {
      // git does not resolve links.
      const folder = await realpath(dirname(path)).catch(() => dirname(path));
      const repository = await repositoryAbove(folder);
      const inside = relative(repository ?? '', join(folder, basename(path)));
      return { path, repository, name: `./${inside.split(sep).join('/')}` };
    }),
  );
  const ignored = new Set<string>();
  for (const [repository, files] of Map.groupBy(placed, (file) => file.repository)) {
    const names = files.map(({ name }) => name);
    const found = repository === undefined ? new Set() : await checkIgnore(git, repository, names);
    files.filter(({ name }) => found?.has(name) !== false).forEach(({ path }) => ignored.add(path));
  }
  return ignored;
}

/** Undefined when git refuses to answer. */
async function checkIgnore(git: Git, folder: string, names: readonly string[]): Promise<Set<string> | undefined> {
  try {
    const excludes = await git.excludesFile(folder);
    // The command rejects literal pathspecs. The leading `./` of each name keeps `:` from starting a pattern.
    const args = ['-c', `core.excludesFile=${excludes}`, '--no-literal-pathspecs', 'check-ignore', '-z', '--stdin'];
    const input = names.map((name) => `${name}\0`).join('');
    return new Set((await git.run({ folder }, args, { input })).split('\0'));
  } catch (error) {
    // Exit code 1: none of the paths is ignored (git-check-ignore(1)).
    return error instanceof GitError && error.exitCode === 1 ? new Set() : undefined;
  }
}

/** The nearest folder at or above this one that contains a `.git`. */
export async function repositoryAbove(folder: string): Promise<string | undefined> {
  const isRepository = await lstat(join(folder, '.git')).then(
    () => true,
    () => false,
  );
  const above = dirname(folder);
  return isRepository ? folder : above === folder ? undefined : repositoryAbove(above);
}
