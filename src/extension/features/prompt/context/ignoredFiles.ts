import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { Git, GitError } from '../../../../git/git';
import { plainFileSize } from '../../../platform/plainFileSize';
import { EVERYTHING, IgnoreRules, MAX_LENGTH } from './ignoreRules';
import { IGNORED, type LeftOut, UNDECIDED } from './readText';

/** A file or folder to check. */
export interface Candidate {
  uri: vscode.Uri;
  isFolder: boolean;
}

const decoder = new TextDecoder();

/** Finds out what git ignores: with git if it may be run, otherwise from the repository's `.gitignore` files. */
export class IgnoredFiles {
  /** By workspace folder, or the folder of a file outside of the workspace: the ignore rules, and the path of the folder where they start. */
  private readonly trees = new Map<string, Promise<{ top: string; rules: IgnoreRules }>>();
  private readonly git = new Git(process.env);

  /**
   * Returns which of the candidates (as strings) to leave out, and why: ignored, inside an ignored folder, or
   * undecidable.
   */
  async among(candidates: readonly Candidate[]): Promise<Map<string, LeftOut>> {
    const forGit = candidates.filter(({ uri }) => uri.scheme === 'file' && vscode.workspace.isTrusted);
    const answers = await askGitIgnored(
      this.git,
      forGit.map(({ uri }) => uri.fsPath),
    );
    const found = await Promise.all(
      candidates.map(async (candidate): Promise<[string, LeftOut][]> => {
        const { uri } = candidate;
        const answer = answers.get(uri.fsPath);
        // On a case-insensitive disk, `.GIT` is the same folder.
        const isGitFolder = /(^|\/)\.git(\/|$)/i.test(uri.path);
        if (isGitFolder || answer === 'ignored' || (answer === undefined && (await this.isIgnoredByRules(candidate)))) {
          return [[uri.toString(), IGNORED]];
        }
        return answer === 'refused' ? [[uri.toString(), UNDECIDED]] : [];
      }),
    );
    return new Map(found.flat());
  }

  /** Returns why a single file must not be added to a prompt; undefined if it may. */
  async whyLeftOut(uri: vscode.Uri): Promise<LeftOut | undefined> {
    return (await this.among([{ uri, isFolder: false }])).get(uri.toString());
  }

  private async isIgnoredByRules({ uri, isFolder }: Candidate): Promise<boolean> {
    const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri;
    if (folder === undefined && uri.scheme !== 'file') {
      return false;
    }
    const root = folder ?? vscode.Uri.joinPath(uri, '..');
    const tree = this.trees.get(root.toString()) ?? treeOf(root);
    this.trees.set(root.toString(), tree);
    const { top, rules } = await tree;
    return rules.isIgnored(posix.relative(top, uri.path), isFolder);
  }
}

/** The rules from the repository's root down, or from the folder itself when no repository is visible above it. */
async function treeOf(root: vscode.Uri): Promise<{ top: string; rules: IgnoreRules }> {
  let top = root;
  for (let folder = root; ; folder = vscode.Uri.joinPath(folder, '..')) {
    if (await exists(vscode.Uri.joinPath(folder, '.git'))) {
      top = folder;
      break;
    }
    if (posix.dirname(folder.path) === folder.path) {
      break;
    }
  }
  return { top: top.path, rules: new IgnoreRules((folder) => read(vscode.Uri.joinPath(top, folder, '.gitignore'))) };
}

/** Follows no link, like git. */
async function read(uri: vscode.Uri): Promise<string | undefined> {
  const size = await plainFileSize(uri);
  if (size === undefined) {
    return undefined;
  }
  if (size > MAX_LENGTH) {
    return EVERYTHING;
  }
  return Promise.resolve(vscode.workspace.fs.readFile(uri)).then(
    (bytes) => decoder.decode(bytes),
    () => undefined,
  );
}

function exists(uri: vscode.Uri): Promise<boolean> {
  return Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );
}

/** `refused`: git answers for the repository, but not for this path, such as one in a submodule without its `.git`. */
export type GitAnswer = 'ignored' | 'not ignored' | 'refused';

/** Returns which of the names git ignores; undefined when git refuses to answer. */
type Ask = (names: readonly string[]) => Promise<ReadonlySet<string> | undefined>;

/**
 * Asks git which files and folders it ignores, once per repository. A path in a repository where git can't be asked is
 * missing from the result.
 *
 * The Git extension's own `checkIgnore` can't be used: it returns when its process exits, even if the output was not
 * read.
 *
 * @param paths absolute
 */
export async function askGitIgnored(git: Git, paths: readonly string[]): Promise<Map<string, GitAnswer>> {
  const repositories = new Map<string, Promise<string | undefined>>();
  const placed = await Promise.all(
    paths.map(async (path) => {
      // git does not resolve links.
      const folder = await realpath(dirname(path)).catch(() => dirname(path));
      const repository = await repositoryAbove(folder, repositories);
      const inside = relative(repository ?? '', join(folder, basename(path)));
      return { path, repository, name: `./${inside.split(sep).join('/')}` };
    }),
  );
  const answers = new Map<string, GitAnswer>();
  for (const [repository, files] of Map.groupBy(placed, (file) => file.repository)) {
    const names = files.map(({ name }) => name);
    const ask = repository === undefined ? undefined : await asker(git, repository).catch(() => undefined);
    const found = ask && (await checkIgnore(ask, names));
    for (const { path, name } of files) {
      const answer = found?.get(name);
      if (answer !== undefined) {
        answers.set(path, answer);
      }
    }
  }
  return answers;
}

/** Undefined when git answers for no path of the repository. */
async function checkIgnore(ask: Ask, names: readonly string[]): Promise<Map<string, GitAnswer> | undefined> {
  const ignored = await ask(names);
  if (ignored !== undefined) {
    return toAnswers(names, ignored);
  }
  // A single refused path fails the whole command. Whether git refuses depends on the folder that contains the path.
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
  const excludes = await git.excludesFile(repository);
  // The command rejects literal pathspecs. The leading `./` of each name keeps `:` from starting a pattern.
  const args = ['-c', `core.excludesFile=${excludes}`, '--no-literal-pathspecs', 'check-ignore', '-z', '--stdin'];
  return async (names) => {
    const input = names.map((name) => `${name}\0`).join('');
    try {
      return new Set((await git.run({ folder: repository }, args, { input })).split('\0'));
    } catch (error) {
      // Exit code 1: none of the paths is ignored (git-check-ignore(1)).
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
