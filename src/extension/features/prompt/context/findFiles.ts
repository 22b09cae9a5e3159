import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { withUserFileSettings } from '../../../../git/repositorySettings';
import { Git, GitError } from '../../../../git/git';
import { streamEntries } from '../../../../git/streamEntries';
import { toPickLabel } from '../../../platform/sanitize';
import { section } from '../box/contextInserter';
import { baseName, canBeContext, filePlace } from './places';

const LIST = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z'];

/** How long a list is cached, in milliseconds: completion asks on every keystroke. */
const KEEP_MS = 3_000;

/** Maximum number of names in the list of files. */
const MAX_LISTED = 10_000;

const known = new Map<string, Promise<readonly vscode.Uri[]>>();

/** The files of a folder, except those that git ignores; the ones nearest to the folder first. */
export function filesIn(folder: vscode.Uri): Promise<readonly vscode.Uri[]> {
  const key = folder.toString();
  const listed = known.get(key) ?? list(folder);
  if (!known.has(key)) {
    known.set(key, listed);
    void listed.finally(() => setTimeout(() => known.delete(key), KEEP_MS).unref()).catch(() => undefined);
  }
  return listed;
}

async function list(folder: vscode.Uri): Promise<readonly vscode.Uri[]> {
  const mayRunGit = folder.scheme === 'file' && vscode.workspace.isTrusted;
  const names = mayRunGit ? await listWithGit(folder.fsPath) : undefined;
  if (names !== undefined) {
    return nearestFirst(names).map((name) => vscode.Uri.joinPath(folder, name));
  }
  const found = await vscode.workspace.findFiles(new vscode.RelativePattern(folder, '**/*'), undefined, MAX_LISTED);
  const ignored = await ignoredAmong(found);
  const uris = new Map(found.filter((uri) => !ignored.has(uri.toString())).map((uri) => [uri.path, uri]));
  return nearestFirst([...uris.keys()]).flatMap((path) => uris.get(path) ?? []);
}

/** The names of files that git tracks or would add; undefined when the folder is not in a repository, or git can't be run. */
export async function listWithGit(path: string): Promise<string[] | undefined> {
  const folder = await realpath(path).catch(() => path);
  const repository = await repositoryAbove(folder);
  if (repository === undefined) {
    return undefined;
  }
  try {
    const git = new Git(process.env);
    const names: string[] = [];
    for await (const listed of streamEntries(git, { ...(await withUserFileSettings(git, repository)), folder }, LIST)) {
      names.push(...listed);
    }
    return names;
  } catch (error) {
    if (error instanceof GitError) {
      return undefined;
    }
    throw error;
  }
}

function nearestFirst(names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, depth: name.split('/').length }))
    .sort((a, b) => a.depth - b.depth || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

/** The files of the workspace whose path contains the letters, ignoring case. */
export async function findFiles(letters: string, max: number): Promise<vscode.Uri[]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const listed = await Promise.all(folders.map(async ({ uri }) => ({ uri, files: await filesIn(uri) })));
  const wanted = letters.toLowerCase();
  const found = listed.flatMap(({ uri, files }) =>
    files.filter(({ path }) => path.slice(uri.path.length).toLowerCase().includes(wanted)).slice(0, max),
  );
  return found.slice(0, max);
}

/** Resolves a workspace path. Its first part may be the name of a workspace folder. */
export async function fileAt(path: string): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [first = '', ...rest] = path.split('/');
  const named = folders.find(({ name }) => name === first);
  const candidates = [
    ...(named === undefined ? [] : [vscode.Uri.joinPath(named.uri, ...rest)]),
    ...folders.map(({ uri }) => vscode.Uri.joinPath(uri, path)),
  ];
  for (const uri of candidates) {
    const exists = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    // A path with `..` may point outside the workspace.
    if (exists && vscode.workspace.getWorkspaceFolder(uri) !== undefined) {
      return uri;
    }
  }
  return undefined;
}

/** Asks for a file, listing open files first. Undefined when cancelled. */
export async function pickFile(): Promise<vscode.Uri | undefined> {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ input }) => input);
  const tabs = inputs.flatMap((input) =>
    input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? [input.uri] : [],
  );
  const open = new Map(tabs.filter(canBeContext).map((uri) => [uri.toString(), uri]));
  const rows = async (): Promise<(vscode.QuickPickItem & { uri?: vscode.Uri })[]> => {
    const others = (await findFiles('', MAX_LISTED)).filter((uri) => !open.has(uri.toString()));
    return [
      ...section(vscode.l10n.t('Open'), [...open.values()].map(fileRow)),
      ...section(vscode.l10n.t('In the workspace'), others.map(fileRow)),
    ];
  };
  const title = vscode.l10n.t('Add a file to the prompt');
  const placeHolder = vscode.l10n.t('Type part of its path');
  return (await vscode.window.showQuickPick(rows(), { title, placeHolder, matchOnDescription: true }))?.uri;
}

function fileRow(uri: vscode.Uri): vscode.QuickPickItem & { uri: vscode.Uri } {
  return { uri, label: `$(file) ${toPickLabel(baseName(uri))}`, description: toPickLabel(filePlace(uri).path) };
}

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
