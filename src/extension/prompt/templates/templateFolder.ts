import * as vscode from 'vscode';

/** A team's templates lie here in each folder of the workspace. */
export const TEMPLATE_FOLDER = '.docs-agent/prompts';

/** A larger file is no template. In bytes. */
export const TEMPLATE_LIMIT = 64 * 1024;

/** So many files of a folder are looked at. */
export const FILES_LIMIT = 200;

export function templateFolder(folder: vscode.WorkspaceFolder): vscode.Uri {
  return vscode.Uri.joinPath(folder.uri, TEMPLATE_FOLDER);
}

/** What lies in the folder and may be a template, in the order of the names; nothing where there is no such folder. */
export async function templateFiles(folder: vscode.WorkspaceFolder): Promise<[string, vscode.FileType][]> {
  const place = templateFolder(folder);
  let entries: [string, vscode.FileType][];
  try {
    entries = await vscode.workspace.fs.readDirectory(place);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && isMissing(error)) {
      return [];
    }
    throw error;
  }
  return entries
    .filter(([name, type]) => /\.md$/i.test(name) && (type & vscode.FileType.Directory) === 0)
    .toSorted(([a], [b]) => a.localeCompare(b));
}

function isMissing({ code }: vscode.FileSystemError): boolean {
  return code === 'FileNotFound' || code === 'FileNotADirectory';
}
