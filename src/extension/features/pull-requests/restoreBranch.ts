import * as vscode from 'vscode';
import { readJobName } from '../../platform/commandArguments';
import { type JobRepository, jobRepository, resolveCommit, showWarning } from '../../platform/jobRepository';
import { toNotice } from '../../platform/sanitize';
import { hasCommit } from './fetchBranch';
import { readReportedWork } from './openChanges';
import type { ReviewApp } from './register';

/** Restores the branch that the merge of a local job has deleted. */
export async function restoreJobBranch(
  options: Pick<ReviewApp, 'picker' | 'localAvailable' | 'localAccess' | 'log'>,
  argument: unknown,
): Promise<void> {
  const job = await options.picker.choose(readJobName(argument), 'checkoutPullRequest');
  const found = job && (await jobRepository(job, options.localAvailable));
  await (found && restoreBranch(found, (await readReportedWork(options, job))?.commit));
}

/**
 * Restores the branch of a merged job without checking it out.
 *
 * @param merged the commit that the repository keeps
 */
export async function restoreBranch(
  { repository, ref }: Pick<JobRepository, 'repository' | 'ref'>,
  merged: string | null | undefined,
): Promise<void> {
  const name = toNotice(ref, 100);
  if ((await resolveCommit(repository, `refs/heads/${ref}`)) !== undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Branch “{0}” wasn’t deleted.', name));
  } else if (merged == null || !(await hasCommit(repository, merged))) {
    showWarning(vscode.l10n.t('The commits of branch “{0}” are no longer in this repository.', name));
  } else {
    await repository.createBranch(ref, false, merged);
    void vscode.window.showInformationMessage(vscode.l10n.t('Branch “{0}” was restored.', name));
  }
}

/**
 * Offers to restore a branch that was deleted after the merge. Returns false if the user doesn't want that.
 *
 * @param merged the commit that the repository keeps
 */
export async function restoreDeletedBranch(
  { repository, ref }: Pick<JobRepository, 'repository' | 'ref'>,
  merged: string | null | undefined,
): Promise<boolean> {
  const isThere = (await resolveCommit(repository, `refs/heads/${ref}`)) !== undefined;
  if (isThere || merged == null || !(await hasCommit(repository, merged))) {
    return true;
  }
  const restore = vscode.l10n.t('Restore Branch');
  const text = vscode.l10n.t('Branch “{0}” was deleted after the merge.', toNotice(ref, 100));
  if ((await vscode.window.showInformationMessage(text, restore)) !== restore) {
    return false;
  }
  await repository.createBranch(ref, false, merged);
  return true;
}
