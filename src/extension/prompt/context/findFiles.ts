import * as vscode from 'vscode';
import { IgnoredFiles } from './ignoredFiles';
import { canBeContext } from './lastEditor';

/** Files of the workspace whose path holds the letters, whatever their case; all of them without letters. Ignored ones are left out. */
export async function findFiles(letters: string, max: number, token?: vscode.CancellationToken): Promise<vscode.Uri[]> {
  const pattern = letters === '' ? '**/*' : `**/*${globOf(letters)}*`;
  const found = await vscode.workspace.findFiles(pattern, undefined, max, token);
  const ignored = await new IgnoredFiles().among(found.map((uri) => ({ uri, isFolder: false })));
  return found.filter((uri) => !ignored.has(uri.toString())).toSorted(byDepth);
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
