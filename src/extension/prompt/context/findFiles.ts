import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { GitFileNames } from './gitFileNames';
import { IgnoredFiles } from './ignoredFiles';
import { canBeContext } from './lastEditor';
import { nearestNames } from './nearestNames';

export interface FoundFiles {
  /** Those nearest to the folder of the workspace first. */
  uris: readonly vscode.Uri[];
  /** There are others, which are not among them. */
  hasMore: boolean;
}

const fileNames = new GitFileNames();

/** Files of the workspace whose path holds the letters, whatever their case; all of them without letters. Ignored ones are left out. */
export async function findFiles(letters: string, max: number, token?: vscode.CancellationToken): Promise<FoundFiles> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = await Promise.all(
    folders.map(async (folder): Promise<FoundFiles> => {
      const names = await gitFiles(folder);
      if (names === undefined) {
        return search(folder, letters, max, token);
      }
      const nearest = await nearestNames(names, letters, max, () => token?.isCancellationRequested === true);
      return { uris: await toUris(folder, nearest.names), hasMore: nearest.hasMore };
    }),
  );
  const uris = found.flatMap((each) => each.uris);
  const first = found.length === 1 ? uris : nearestFirst(uris);
  return { uris: first.slice(0, max), hasMore: uris.length > max || found.some((each) => each.hasMore) };
}

/** Undefined where git can't be asked: a folder that is not on this machine, not trusted, or in no repository. */
async function gitFiles({ uri }: vscode.WorkspaceFolder): Promise<readonly string[] | undefined> {
  return uri.scheme === 'file' && vscode.workspace.isTrusted ? fileNames.of(uri.fsPath) : undefined;
}

async function toUris(folder: vscode.WorkspaceFolder, names: readonly string[]): Promise<vscode.Uri[]> {
  const uris: vscode.Uri[] = [];
  for (const name of names) {
    uris.push(vscode.Uri.joinPath(folder.uri, name));
    if (uris.length % 1_000 === 0) {
      await setImmediate();
    }
  }
  return uris;
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
  const uris = nearestFirst(found.filter((uri) => !ignored.has(uri.toString())));
  return { uris, hasMore: found.length >= max };
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

function nearestFirst(uris: readonly vscode.Uri[]): vscode.Uri[] {
  const ranked = uris.map((uri) => ({ uri, path: uri.path, depth: uri.path.split('/').length }));
  return ranked.sort((a, b) => a.depth - b.depth || (a.path < b.path ? -1 : 1)).map(({ uri }) => uri);
}
