import * as vscode from 'vscode';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { changedFiles, knownBranch, showWarning } from '../../platform/jobRepository';
import { toLabel, toNotice } from '../../platform/sanitize';
import { jobTitle } from '../../presentation/jobText';
import { shownPaths } from './pageStory';

/**
 * Shows a job's changes to one file, from its branch in an open repository. Reports problems to the user.
 *
 * @param path as shown on the page
 * @param told the commit the branch started from, if the service reports it
 */
export async function openChangedFile(
  job: TrackedJob,
  path: string,
  localAvailable: boolean,
  told?: string | null,
): Promise<void> {
  const branch = await knownBranch(job, localAvailable, told);
  if (branch === undefined) {
    showWarning(
      vscode.l10n.t(
        'Can’t show {0}: the job’s branch isn’t in any repository that’s open here. Open its folder, or wait until the job finishes.',
        toNotice(path, 100),
      ),
    );
    return;
  }
  const root = branch.repository.rootUri.path.replace(/\/?$/, '/');
  const files = await changedFiles(branch, { ...branch, jobKey: job.key });
  // The service lists the files in the same order.
  const names = shownPaths(files.map(([uri]) => (uri.path.startsWith(root) ? uri.path.slice(root.length) : '')));
  const file = files[names.indexOf(path)];
  if (file === undefined) {
    showWarning(
      vscode.l10n.t('No changes to {0} on the job’s branch. Fetch the branch, then try again.', toNotice(path, 100)),
    );
    return;
  }
  const title = `${toLabel(path, 80)} (${toLabel(jobTitle(job), 60)})`;
  const [, left, right] = file;
  if (left !== undefined && right !== undefined) {
    await vscode.commands.executeCommand('vscode.diff', left, right, title);
  } else {
    // An added or deleted file has only one side.
    await vscode.commands.executeCommand('vscode.changes', title, [file]);
  }
}
