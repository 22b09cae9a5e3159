import * as vscode from 'vscode';
import { diffSummary } from '../../git/diff';
import type { ChangeRepository } from '../../git/git';
import { versionUri } from './fileVersions';
import type { GitRepository } from './gitExtension';

/**
 * A changed file: its current URI, and the URIs of its old and new version; undefined for a version that does not
 * exist.
 */
export type ChangedFile = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/**
 * Returns the files that differ between two commits of a job, in the form that the multi-file diff editor expects.
 *
 * @param opened the same repository
 */
export async function changedFiles(
  repository: GitRepository,
  opened: ChangeRepository,
  { base, commit, jobKey }: { base: string; commit: string; jobKey: string },
): Promise<ChangedFile[]> {
  const { files } = await diffSummary(opened, [base, commit]);
  return files.map(({ path, from = path, status }) => [
    vscode.Uri.joinPath(repository.rootUri, path),
    status === 'A' ? undefined : versionUri(repository, { path: from, commit: base, jobKey, side: 'old' }),
    status === 'D' ? undefined : versionUri(repository, { path, commit, jobKey, side: 'new' }),
  ]);
}
