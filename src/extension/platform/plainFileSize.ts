import * as vscode from 'vscode';

/**
 * Returns the size of a file in bytes; undefined if there is none, or if it is a link, a folder, or a device. A link may
 * lead to something without an end, whose size is given as 0, such as `/proc/self/pagemap`: reading it would fill the
 * memory of the editor's process.
 */
export async function plainFileSize(uri: vscode.Uri): Promise<number | undefined> {
  const found = await vscode.workspace.fs.stat(uri).then(
    (stat) => stat,
    () => undefined,
  );
  return found?.type === vscode.FileType.File ? found.size : undefined;
}
