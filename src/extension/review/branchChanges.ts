import type * as vscode from 'vscode';
import { type GitApi, type GitRepository, GIT_STATUS } from '../services/gitExtension';
import type { JobRepository } from './jobRepository';

/** One file of a change: what it is called, as it was and as it is now; undefined where there is no such side. */
export type ChangedFile = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/** What branches are called from which others leave, where the remote does not say. */
const USUAL_BASES = ['main', 'master', 'develop', 'trunk'];

/**
 * The commit at which a branch left: the one that is checked out, or, where that is the branch itself or holds it, the
 * main branch. Undefined when the branch holds nothing that all of them do not.
 */
export async function baseOf(
  { repository, ref, remote }: Pick<JobRepository, 'repository' | 'ref' | 'remote'>,
  commit: string,
): Promise<string | undefined> {
  const remotes = remote === undefined ? [] : ['HEAD', ...USUAL_BASES].map((name) => `refs/remotes/${remote}/${name}`);
  const current = repository.state.HEAD?.name === ref ? [] : ['HEAD'];
  for (const other of [...current, ...remotes, ...USUAL_BASES.map((name) => `refs/heads/${name}`)]) {
    const base = await repository.getMergeBase(other, commit).catch(() => undefined);
    if (base !== undefined && base !== commit) {
      return base;
    }
  }
  return undefined;
}

/** The files that differ between two commits, as the editor's view of several files takes them. */
export async function changedFiles(
  api: GitApi,
  repository: GitRepository,
  base: string,
  commit: string,
): Promise<ChangedFile[]> {
  const changes = await repository.diffBetween(base, commit);
  return changes.map(({ uri, originalUri, status }) => [
    uri,
    status === GIT_STATUS.indexAdded ? undefined : api.toGitUri(originalUri, base),
    status === GIT_STATUS.indexDeleted || status === GIT_STATUS.deleted ? undefined : api.toGitUri(uri, commit),
  ]);
}
