import * as vscode from 'vscode';
import { diffSummary } from '../../git/diff';
import type { ChangeRepository } from '../../git/git';
import { addressFor } from './gitExtension';
import type { JobRepository } from './jobRepository';

/**
 * A changed file: its current URI, and the URIs of its old and new version; undefined for a version that does not
 * exist.
 */
export type ChangedFile = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/**
 * Returns the files that differ between two commits of a job, in the form that the multi-file diff editor expects. Not
 * from the Git extension, whose list leaves out files that became links, and links that became files.
 *
 * @param opened the same repository
 */
export async function changedFiles(
  { api, repository }: Pick<JobRepository, 'api' | 'repository'>,
  opened: ChangeRepository,
  { base, commit, jobKey }: { base: string; commit: string; jobKey: string },
): Promise<ChangedFile[]> {
  const { files } = await diffSummary(opened, [base, commit]);
  const at = (path: string): vscode.Uri => vscode.Uri.joinPath(repository.rootUri, path);
  return files.map(({ path, from = path, status }) => [
    at(path),
    status === 'A' ? undefined : addressFor(api.toGitUri(at(from), base), jobKey),
    status === 'D' ? undefined : api.toGitUri(at(path), commit),
  ]);
}
