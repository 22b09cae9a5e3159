import * as vscode from 'vscode';
import { OUTSIDE_NOTE, type TextPlace, UNSAVED_NOTE } from '../../../prompt/blocks';

/**
 * How a prompt names a file: relative to its workspace folder, with the folder's name where there are several. Of a
 * file outside only the name goes along, because its path tells about the user's machine.
 */
export function filePlace(uri: vscode.Uri): TextPlace {
  const inside = insideWorkspace(uri);
  if (inside === undefined) {
    return { path: baseName(uri), notes: uri.scheme === 'untitled' ? [] : [OUTSIDE_NOTE] };
  }
  const { folder, file } = inside;
  // A folder of the workspace itself would get its absolute path.
  const isFolder = file.path.replace(/\/$/, '') === folder.uri.path.replace(/\/$/, '');
  return { path: isFolder ? folder.name : vscode.workspace.asRelativePath(file), notes: [] };
}

/** The place of an open document: what is not saved yet says so. */
export function documentPlace({ uri, isDirty, isUntitled }: vscode.TextDocument): TextPlace {
  const { path, notes } = filePlace(uri);
  return { path, notes: isDirty || isUntitled ? [UNSAVED_NOTE, ...notes] : notes };
}

export function baseName({ path }: vscode.Uri): string {
  return path.replace(/\/$/, '').split('/').at(-1) ?? '';
}

/** The file in the workspace that an address stands for: the left side of a comparison has one of the Git extension's. */
function insideWorkspace(uri: vscode.Uri): { folder: vscode.WorkspaceFolder; file: vscode.Uri } | undefined {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  const candidates = uri.scheme === 'git' && first !== undefined ? [uri, first.uri.with({ path: uri.path })] : [uri];
  for (const file of candidates) {
    const folder = vscode.workspace.getWorkspaceFolder(file);
    if (folder !== undefined) {
      return { folder, file };
    }
  }
  return undefined;
}
