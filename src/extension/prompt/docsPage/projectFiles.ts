import * as vscode from 'vscode';
import type { SiteReader } from '../../../prompt/docsSite/findSite';

/** A configuration or a page is never as large, in bytes. */
const MOST_BYTES = 2_000_000;

/** A page as its project's files name it. */
export interface ProjectPage {
  path: string;
  files: SiteReader;
}

/** The project is the page's workspace folder, or else the page's own folder. Undefined where there are no files. */
export function projectPage(uri: vscode.Uri): ProjectPage | undefined {
  if (uri.scheme === 'untitled') {
    return undefined;
  }
  const root = vscode.workspace.getWorkspaceFolder(uri)?.uri ?? vscode.Uri.joinPath(uri, '..');
  const prefix = root.path.endsWith('/') ? root.path : `${root.path}/`;
  return uri.path.startsWith(prefix) ? { path: uri.path.slice(prefix.length), files: filesOf(root) } : undefined;
}

/** What is open is read as it stands in the editor. */
function filesOf(root: vscode.Uri): SiteReader {
  const at = (path: string): vscode.Uri => vscode.Uri.joinPath(root, path);
  return {
    list: async (folder) => {
      try {
        return (await vscode.workspace.fs.readDirectory(at(folder))).map(([name]) => name);
      } catch {
        return [];
      }
    },
    read: async (path) => {
      const uri = at(path);
      const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
      if (open !== undefined) {
        return open.getText();
      }
      try {
        const { size } = await vscode.workspace.fs.stat(uri);
        return size > MOST_BYTES ? undefined : new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
      } catch {
        return undefined;
      }
    },
  };
}
