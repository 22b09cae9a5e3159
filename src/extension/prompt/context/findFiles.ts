import * as vscode from 'vscode';
import { asUserSees } from '../../../git/asUserSees';
import { Git, GitError } from '../../../git/git';
import { IgnoredFiles } from './ignoredFiles';
import { canBeContext } from './lastEditor';

export interface FoundFiles {
  /** Those nearest to the folder of the workspace first. */
  uris: readonly vscode.Uri[];
  /** There are others, which are not among them. */
  hasMore: boolean;
}

/** Files of the workspace whose path holds the letters, whatever their case; all of them without letters. Ignored ones are left out. */
export async function findFiles(letters: string, max: number, token?: vscode.CancellationToken): Promise<FoundFiles> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = await Promise.all(
    folders.map(async (folder): Promise<FoundFiles> => {
      const names = await gitFiles(folder);
      return names === undefined
        ? search(folder, letters, max, token)
        : { uris: matching(folder, names, letters), hasMore: false };
    }),
  );
  const uris = found.flatMap((each) => each.uris).toSorted(byDepth);
  return { uris: uris.slice(0, max), hasMore: uris.length > max || found.some((each) => each.hasMore) };
}

/**
 * The files of a folder of the workspace that git holds or would take, so that no ignored one counts; undefined where git
 * can't be asked: a folder that is not on this machine, not trusted, or in no repository.
 */
async function gitFiles({ uri: root }: vscode.WorkspaceFolder): Promise<vscode.Uri[] | undefined> {
  if (root.scheme !== 'file' || !vscode.workspace.isTrusted) {
    return undefined;
  }
  const git = new Git(process.env);
  try {
    const place = await asUserSees(git, root.fsPath);
    const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z'];
    const names = (await git.run(place, args)).split('\0').filter((name) => name !== '');
    return names.map((name) => vscode.Uri.joinPath(root, name));
  } catch (error) {
    if (error instanceof GitError) {
      return undefined;
    }
    throw error;
  }
}

function matching(folder: vscode.WorkspaceFolder, uris: readonly vscode.Uri[], letters: string): vscode.Uri[] {
  const asked = letters.toLowerCase();
  return uris.filter(({ path }) => path.slice(folder.uri.path.length).toLowerCase().includes(asked));
}

/** Where git can't be asked the editor's own search looks, and stops at `max`. */
async function search(
  folder: vscode.WorkspaceFolder,
  letters: string,
  max: number,
  token?: vscode.CancellationToken,
): Promise<FoundFiles> {
  const pattern = new vscode.RelativePattern(folder, letters === '' ? '**/*' : `**/*${globOf(letters)}*`);
  const found = await vscode.workspace.findFiles(pattern, undefined, max, token);
  const ignored = await new IgnoredFiles().among(found.map((uri) => ({ uri, isFolder: false })));
  return { uris: found.filter((uri) => !ignored.has(uri.toString())), hasMore: found.length >= max };
}

/** The files that are open in tabs, in the order of the tabs. */
export function openFiles(): vscode.Uri[] {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ input }) => input);
  const uris = inputs.flatMap((input) =>
    input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? [input.uri] : [],
  );
  return [...new Map(uris.filter(canBeContext).map((uri) => [uri.toString(), uri])).values()];
}

/** The address that a path in the workspace stands for; its first part may be the name of a folder of the workspace. */
export async function fileAt(path: string): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [first = '', ...rest] = path.split('/');
  const named = folders.find(({ name }) => name === first);
  const candidates = [
    ...(named === undefined ? [] : [vscode.Uri.joinPath(named.uri, ...rest)]),
    ...folders.map(({ uri }) => vscode.Uri.joinPath(uri, path)),
  ];
  for (const uri of candidates) {
    const exists = await Promise.resolve(vscode.workspace.fs.stat(uri)).then(
      () => true,
      () => false,
    );
    // A path with `..` may lead out of it.
    if (exists && vscode.workspace.getWorkspaceFolder(uri) !== undefined) {
      return uri;
    }
  }
  return undefined;
}

/** A glob knows no case: each letter stands for both, and what means something in a glob for any character. */
function globOf(letters: string): string {
  return letters.replace(/[\p{L}]|[*?[\]{}!,\\]/gu, (character) => {
    const [low, high] = [character.toLowerCase(), character.toUpperCase()];
    return low === high || low.length !== 1 || high.length !== 1 ? '?' : `[${low}${high}]`;
  });
}

function byDepth(a: vscode.Uri, b: vscode.Uri): number {
  const depth = a.path.split('/').length - b.path.split('/').length;
  return depth === 0 ? (a.path < b.path ? -1 : 1) : depth;
}
