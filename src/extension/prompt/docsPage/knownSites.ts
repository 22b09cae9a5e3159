import * as vscode from 'vscode';
import { type SiteReader, findSite } from '../../../prompt/docsSite/findSite';
import { projectPage } from './projectFiles';

/** The configurations of sites, as the editor's own watcher takes them. */
const CONFIGURATIONS = '**/{docs.json,mint.json,mkdocs.yml,mkdocs.yaml,docusaurus.config.*,conf.py,antora.yml}';

/** Which files are pages of a documentation site. What was read of a folder is remembered until a configuration changes. */
export class KnownSites implements vscode.Disposable {
  private readonly watcher = vscode.workspace.createFileSystemWatcher(CONFIGURATIONS);
  private readonly folders = new Map<string, Promise<readonly string[]>>();
  private readonly files = new Map<string, Promise<string | undefined>>();

  constructor(onDidChange: () => void) {
    const forget = (): void => {
      this.folders.clear();
      this.files.clear();
      onDidChange();
    };
    this.watcher.onDidCreate(forget);
    this.watcher.onDidChange(forget);
    this.watcher.onDidDelete(forget);
  }

  dispose(): void {
    this.watcher.dispose();
  }

  /** Whether a file is a page of a site in its workspace folder. */
  async has(uri: vscode.Uri): Promise<boolean> {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    const page = folder && projectPage(uri);
    if (folder === undefined || page === undefined) {
      return false;
    }
    return (await findSite(page.path, this.remembering(folder.uri.toString(), page.files))) !== undefined;
  }

  private remembering(root: string, files: SiteReader): SiteReader {
    return {
      list: (folder) => remembered(this.folders, `${root}\n${folder}`, () => files.list(folder)),
      read: (path) => remembered(this.files, `${root}\n${path}`, () => files.read(path)),
    };
  }
}

function remembered<T>(memory: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const known = memory.get(key) ?? read();
  memory.set(key, known);
  return known;
}
