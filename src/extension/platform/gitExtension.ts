import * as vscode from 'vscode';

/** What we use of the API (version 1) of the editor's own Git extension, which brings no types of its own. */
export interface GitApi {
  /** `uninitialized` while it still looks for repositories. */
  readonly state: 'uninitialized' | 'initialized';
  readonly onDidChangeState: vscode.Event<unknown>;
  /** The git that it found. */
  readonly git: { readonly path: string };
  readonly repositories: readonly GitRepository[];
  readonly onDidOpenRepository: vscode.Event<GitRepository>;
  /** The repository that holds a file; null where it knows none. */
  getRepository(uri: vscode.Uri): GitRepository | null;
  /** The address of a file as it is in a commit. */
  toGitUri(uri: vscode.Uri, ref: string): vscode.Uri;
}

export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: {
    readonly onDidChange: vscode.Event<void>;
    readonly HEAD: { readonly name?: string; readonly commit?: string } | undefined;
    readonly remotes: readonly GitRemote[];
    readonly workingTreeChanges: readonly GitChange[];
    readonly indexChanges: readonly GitChange[];
    readonly mergeChanges: readonly GitChange[];
    /** Empty where untracked files are among the changes of the working tree. */
    readonly untrackedChanges: readonly GitChange[];
  };
  log(options: { maxEntries: number; skip?: number; path?: string }): Promise<GitCommit[]>;
  /** Rejects when there is no such branch; takes one below it, or of other case, for it. */
  getBranch(name: string): Promise<{ name?: string; remote?: string; commit?: string }>;
  /** Rejects when there is no such commit. */
  getCommit(ref: string): Promise<GitCommit>;
  getMergeBase(left: string, right: string): Promise<string | undefined>;
  diffBetween(left: string, right: string): Promise<GitChange[]>;
  /** Reads anew what has changed. */
  status(): Promise<void>;
  /** @param ref a refspec */
  fetch(remote: string, ref: string): Promise<void>;
  checkout(treeish: string): Promise<void>;
  createBranch(name: string, checkout: boolean, ref: string): Promise<void>;
  setBranchUpstream(name: string, upstream: string): Promise<void>;
  /** Not in older editors. */
  createStash?(options: { message: string }): Promise<void>;
  /** Takes the last stash. Not in older editors. */
  popStash?(): Promise<void>;
}

export interface GitRemote {
  readonly name: string;
  readonly fetchUrl?: string;
  readonly pushUrl?: string;
}

export interface GitCommit {
  readonly hash: string;
  readonly message: string;
  readonly parents?: readonly string[];
  readonly authorName?: string;
  readonly authorDate?: Date;
}

export interface GitChange {
  /** The file as it is called now, and as it was before. */
  readonly uri: vscode.Uri;
  readonly originalUri: vscode.Uri;
  /** One of the Git extension's `Status`. */
  readonly status: number;
}

/** Values of the Git extension's `Status` enumeration. */
export const GIT_STATUS = { indexAdded: 1, indexDeleted: 2, deleted: 6, untracked: 7 } as const;

/** The Git extension's API; undefined where it is switched off or missing. */
export async function gitApi(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<{ enabled: boolean; getAPI(version: 1): GitApi }>('vscode.git');
  const git = await extension?.activate();
  return git?.enabled === true ? git.getAPI(1) : undefined;
}

/** The repositories that the Git extension has open, once it has looked for them. */
export async function openRepositories(api: GitApi, limitMs = 10_000): Promise<readonly GitRepository[]> {
  if (api.repositories.length === 0 && api.state === 'uninitialized') {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        subscription.dispose();
        resolve();
      };
      const timer = setTimeout(done, limitMs);
      const subscription = api.onDidChangeState(done);
    });
  }
  return api.repositories;
}
