import * as vscode from 'vscode';

/** What we use of the API (version 1) of the editor's own Git extension, which brings no types of its own. */
export interface GitApi {
  readonly repositories: readonly GitRepository[];
  /** The address of a file as it is in a commit. */
  toGitUri(uri: vscode.Uri, ref: string): vscode.Uri;
}

export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly HEAD: { readonly name?: string } | undefined };
  /** Rejects when there is no such branch. */
  getBranch(name: string): Promise<{ commit?: string }>;
  getMergeBase(left: string, right: string): Promise<string | undefined>;
  diffBetween(left: string, right: string): Promise<GitChange[]>;
}

export interface GitChange {
  /** The file as it is called now, and as it was before. */
  readonly uri: vscode.Uri;
  readonly originalUri: vscode.Uri;
  /** One of the Git extension's `Status`. */
  readonly status: number;
}

/** Values of the Git extension's `Status` enumeration for changes between two commits. */
export const GIT_STATUS = { indexAdded: 1, indexDeleted: 2, deleted: 6 } as const;

/** The Git extension's API; undefined where it is switched off or missing. */
export async function gitApi(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<{ enabled: boolean; getAPI(version: 1): GitApi }>('vscode.git');
  const git = await extension?.activate();
  return git?.enabled === true ? git.getAPI(1) : undefined;
}
