import * as vscode from 'vscode';
import { GitError } from '../../../git/git';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { JobChanges } from '../../../protocol/changes';
import type { ChangedFile } from '../../platform/changedFiles';
import { versionUri } from '../../platform/fileVersions';
import { branchSummary, knownBranch, showWarning } from '../../platform/jobRepository';
import type { Repositories } from '../../platform/repositories';
import { toLabel, toNotice } from '../../platform/sanitize';
import { jobTitle } from '../../presentation/jobText';
import { shownPaths } from './shownPaths';

/**
 * Shows a job's changes to one file, from its branch in an open repository. Reports problems to the user.
 *
 * @param path as shown on the page
 * @param reportedBase the commit the branch started from, if the service reports it
 */
export async function openChangedFile(
  job: TrackedJob,
  path: string,
  { localAvailable, repositories }: { localAvailable: boolean; repositories: Pick<Repositories, 'open'> },
  reportedBase?: string | null,
): Promise<void> {
  const branch = await knownBranch(job, localAvailable, reportedBase);
  if (branch === undefined) {
    showWarning(
      vscode.l10n.t(
        'Can’t show {0}: the job’s branch isn’t in any repository that’s open here. Open its folder, or wait until the job finishes.',
        toNotice(path, 100),
      ),
    );
    return;
  }
  const findFile = async (name: string): Promise<JobChanges['files'][number] | undefined> => {
    try {
      return (await branchSummary(branch, repositories, [name])).files.find((each) => each.path === name);
    } catch (error) {
      // Git refuses a path outside of the repository, which the log may name.
      if (error instanceof GitError) {
        return undefined;
      }
      throw error;
    }
  };
  const { files } = await branchSummary(branch, repositories);
  // The service lists the same files in the same order. The log can name others.
  const names = shownPaths(files.map((each) => each.path));
  const found = files[names.indexOf(path)] ?? (await findFile(path));
  if (found === undefined) {
    showWarning(
      vscode.l10n.t('No changes to {0} on the job’s branch. Fetch the branch, then try again.', toNotice(path, 100)),
    );
    return;
  }
  const title = `${toLabel(path, 80)} (${toLabel(jobTitle(job), 60)})`;
  const { repository, base, commit } = branch;
  const { path: name, from = name } = found;
  const sideAt = (file: string, side: 'old' | 'new'): vscode.Uri =>
    versionUri(repository, { path: file, commit: side === 'new' ? commit : base, jobKey: job.key, side });
  const left = found.kind === 'added' ? undefined : sideAt(from, 'old');
  const right = found.kind === 'deleted' ? undefined : sideAt(name, 'new');
  if (left !== undefined && right !== undefined) {
    await vscode.commands.executeCommand('vscode.diff', left, right, title);
  } else {
    // An added or deleted file has only one side.
    await vscode.commands.executeCommand('vscode.changes', title, [
      [vscode.Uri.joinPath(repository.rootUri, name), left, right] satisfies ChangedFile,
    ]);
  }
}
