import * as vscode from 'vscode';

/**
 * Returns the part of a path in a repository that is a symbolic link; undefined if there is none. A repository may
 * contain links to any file on this machine, and what is read or written there leaves the repository.
 *
 * @param path relative to the folder, with slashes
 */
export async function findLink(folder: vscode.Uri, path: string): Promise<string | undefined> {
  const names = path.split('/');
  for (const [index] of names.entries()) {
    const part = names.slice(0, index + 1).join('/');
    if (((await typeOf(vscode.Uri.joinPath(folder, part))) & vscode.FileType.SymbolicLink) !== 0) {
      return part;
    }
  }
  return undefined;
}

function typeOf(file: vscode.Uri): Thenable<vscode.FileType> {
  return vscode.workspace.fs.stat(file).then(
    ({ type }) => type,
    () => vscode.FileType.Unknown,
  );
}
