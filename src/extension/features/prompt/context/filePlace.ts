import * as vscode from 'vscode';
import { OUTSIDE_NOTE, type TextPlace } from '../../../../prompt/blocks';
import { VERSION_SCHEME } from '../../../platform/fileVersions';

/**
 * How a prompt names a file: relative to its workspace folder, prefixed with the folder's name when there are several.
 * For a file outside the workspace, only its name, because the path would reveal details of the user's machine.
 */
export function filePlace(uri: vscode.Uri): TextPlace {
  const inside = insideWorkspace(uri);
  if (inside === undefined) {
    return { path: baseName(uri), notes: uri.scheme === 'untitled' ? [] : [OUTSIDE_NOTE] };
  }
  const { folder, file } = inside;
  // For a workspace folder itself, VS Code would return the absolute path.
  const isFolder = file.path.replace(/\/$/, '') === folder.uri.path.replace(/\/$/, '');
  return { path: isFolder ? folder.name : vscode.workspace.asRelativePath(file), notes: [] };
}

export function baseName({ path }: vscode.Uri): string {
  return path.replace(/\/$/, '').split('/').at(-1) ?? '';
}

/** The workspace file that an address refers to. A side of a diff has an address of ours or of the Git extension's. */
function insideWorkspace(uri: vscode.Uri): { folder: vscode.WorkspaceFolder; file: vscode.Uri } | undefined {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  const isVersion = ['git', VERSION_SCHEME].includes(uri.scheme);
  const candidates = isVersion && first !== undefined ? [uri, first.uri.with({ path: uri.path })] : [uri];
  for (const file of candidates) {
    const folder = vscode.workspace.getWorkspaceFolder(file);
    if (folder !== undefined) {
      return { folder, file };
    }
  }
  return undefined;
}
