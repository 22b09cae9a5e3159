import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { ChangeRepository, Git } from '../../git/git';
import { type GitApi, gitApi, type GitRepository, openRepositories } from './gitExtension';
import { offer, offerFolder } from './offer';
import { toPickLabel } from './sanitize';

/** The user's repositories: found by the built-in Git extension, and read with its git, in trusted workspaces only. */
export class Repositories {
  private git: { path: string; git: Git } | undefined;

  /**
   * Returns the repository that contains a file, without prompting; undefined if there is none or git must not be run.
   */
  async holding(uri: vscode.Uri): Promise<GitRepository | undefined> {
    if (uri.scheme !== 'file' || !vscode.workspace.isTrusted) {
      return undefined;
    }
    const api = await gitApi();
    return api?.getRepository(uri) ?? undefined;
  }

  /**
   * Returns the repository of a file or folder, otherwise the user's choice. Undefined if there is none (the user
   * is notified), or if the user cancelled.
   */
  async choose(near?: vscode.Uri): Promise<GitRepository | undefined> {
    const { api, all } = await readOpen();
    const own = near === undefined || api === undefined ? undefined : repositoryOf(api, all, near);
    if (own !== undefined || all.length <= 1) {
      return own ?? all[0];
    }
    const items = all.map((repository) => ({
      label: toPickLabel(nameOf(repository)),
      description: toPickLabel(vscode.workspace.asRelativePath(repository.rootUri, true)),
      repository,
    }));
    return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Select a repository') }))?.repository;
  }

  /** Returns the repositories of the workspace’s folders. Empty if there is none (the user is notified). */
  async ofFolders(): Promise<GitRepository[]> {
    const { api, all } = await readOpen();
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
    const found = folders.flatMap((folder) => {
      const own = api?.getRepository(folder);
      // A folder that is in no repository may contain several.
      return own == null ? all.filter(({ rootUri }) => rootUri.path.startsWith(`${folder.path}/`)) : [own];
    });
    if (found.length === 0 && all.length > 0) {
      void offerFolder(vscode.l10n.t('No Git repository is open. Open a repository folder.'));
    }
    return [...new Map(found.map((each) => [each.rootUri.toString(), each])).values()];
  }

  /** Returns what is needed to run git in a repository. Throws GitError if it can't be run safely. */
  async open({ rootUri }: GitRepository, signal?: AbortSignal): Promise<ChangeRepository> {
    const [git, { withUserFileSettings }, { GIT_MS }] = await Promise.all([
      this.found(),
      import('../../git/repositorySettings'),
      import('../../git/git'),
    ]);
    const place = await withUserFileSettings(git, rootUri.fsPath);
    return { git, place, signal: signal ?? AbortSignal.timeout(GIT_MS) };
  }

  /** The path of the Git extension's git executable. */
  async program(): Promise<string> {
    return (await gitApi())?.git.path ?? 'git';
  }

  private async found(): Promise<Git> {
    const path = await this.program();
    if (this.git?.path !== path) {
      const { Git } = await import('../../git/git');
      this.git = { path, git: new Git(process.env, path) };
    }
    return this.git.git;
  }
}

/** Reads the open repositories. The user is told if there is none, or why they can't be read. */
async function readOpen(): Promise<{ api?: GitApi; all: readonly GitRepository[] }> {
  if (!vscode.workspace.isTrusted) {
    void offer(
      vscode.l10n.t('Git commands are disabled in Restricted Mode. Trust the workspace first.'),
      vscode.l10n.t('Manage Workspace Trust'),
      'workbench.trust.manage',
    );
    return { all: [] };
  }
  const api = await gitApi();
  if (api === undefined) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('VS Code’s Git extension is disabled or missing. Enable it, then try again.'),
    );
    return { all: [] };
  }
  const all = await openRepositories(api);
  if (all.length === 0) {
    void offerFolder(vscode.l10n.t('No Git repository is open. Open a repository folder.'));
  }
  return { api, all };
}

/** The name of the repository's folder. */
export function nameOf(repository: GitRepository): string {
  return basename(repository.rootUri.path);
}

function repositoryOf(api: GitApi, all: readonly GitRepository[], near: vscode.Uri): GitRepository | undefined {
  return all.find(({ rootUri }) => rootUri.toString() === near.toString()) ?? api.getRepository(near) ?? undefined;
}
