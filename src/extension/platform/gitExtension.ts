import * as vscode from 'vscode';

/** The part of the built-in Git extension's API (version 1) that is used here. The extension publishes no types. */
export interface GitApi {
  /** `uninitialized` while it is still looking for repositories. */
  readonly state: 'uninitialized' | 'initialized';
  readonly onDidChangeState: vscode.Event<unknown>;
  /** The git executable that it found. */
  readonly git: { readonly path: string };
  readonly repositories: readonly GitRepository[];
  readonly onDidOpenRepository: vscode.Event<GitRepository>;
  /** The repository that contains a file; null if none is known. */
  getRepository(uri: vscode.Uri): GitRepository | null;
}

export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: {
    readonly onDidChange: vscode.Event<void>;
    readonly HEAD: GitHead | undefined;
    readonly remotes: readonly GitRemote[];
    readonly workingTreeChanges: readonly GitChange[];
    readonly indexChanges: readonly GitChange[];
    readonly mergeChanges: readonly GitChange[];
    /** Empty if the untracked files are listed in `workingTreeChanges`. */
    readonly untrackedChanges: readonly GitChange[];
  };
  log(options: { maxEntries: number; skip?: number; path?: string }): Promise<GitCommit[]>;
  /** Rejects if there is no such branch. May also return a branch below that name, or one that differs in case. */
  getBranch(name: string): Promise<{ name?: string; remote?: string; commit?: string }>;
  /** The branch that a branch was created from, or the default branch. */
  getBranchBase(name: string): Promise<{ name?: string; remote?: string } | undefined>;
  /** Rejects if there is no such commit. */
  getCommit(ref: string): Promise<GitCommit>;
  getMergeBase(left: string, right: string): Promise<string | undefined>;
  /** Rejects if the file is not in the tree. */
  getObjectDetails(treeish: string, path: string): Promise<unknown>;
  /** Refreshes the state. */
  status(): Promise<void>;
  /** @param ref a refspec; without it, what the remote is set up to fetch */
  fetch(remote: string, ref?: string): Promise<void>;
  createBranch(name: string, checkout: boolean, ref: string): Promise<void>;
}

export interface GitHead {
  readonly name?: string;
  readonly commit?: string;
  readonly upstream?: { readonly remote: string; readonly name: string };
  /** The number of commits that the upstream branch does not have. */
  readonly ahead?: number;
}

export interface GitRemote {
  readonly name: string;
  readonly fetchUrl?: string;
  readonly pushUrl?: string;
}

export interface GitCommit {
  readonly hash: string;
  readonly message: string;
  readonly authorName?: string;
  readonly authorDate?: Date;
  readonly commitDate?: Date;
}

export interface GitChange {
  /** The file's current name, and its original name. */
  readonly uri: vscode.Uri;
  readonly originalUri: vscode.Uri;
}

/** Returns the Git extension's API; undefined if the extension is disabled or missing. */
export async function gitApi(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<{ enabled: boolean; getAPI(version: 1): GitApi }>('vscode.git');
  const git = await extension?.activate();
  return git?.enabled === true ? git.getAPI(1) : undefined;
}

/**
 * Returns the Git extension's open repositories, once its initial scan is done and it has read their branches and
 * remotes, or the limit has passed. None without the extension.
 */
export async function openRepositories(api: GitApi | undefined, limitMs = 10_000): Promise<readonly GitRepository[]> {
  if (api === undefined) {
    return [];
  }
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([allRead(api), limit]);
  clearTimeout(timer);
  return api.repositories;
}

async function allRead(api: GitApi): Promise<void> {
  if (api.repositories.length === 0 && api.state === 'uninitialized') {
    await new Promise<void>((resolve) => {
      const subscription = api.onDidChangeState(() => {
        subscription.dispose();
        resolve();
      });
    });
  }
  // The Git extension lists a repository before it has read its branches and remotes.
  const unread = api.repositories.filter(({ state }) => state.HEAD === undefined);
  await Promise.all(unread.map((each) => each.status().catch(() => undefined)));
}

/** Calls back each time the Git extension opens a repository. */
export function onDidOpenRepository(listener: () => void): vscode.Disposable {
  let isDisposed = false;
  let subscription: vscode.Disposable | undefined;
  gitApi().then(
    (api) => {
      subscription = isDisposed ? undefined : api?.onDidOpenRepository(listener);
    },
    // Without the Git extension, there are no repositories.
    () => undefined,
  );
  return {
    dispose: () => {
      isDisposed = true;
      subscription?.dispose();
    },
  };
}
