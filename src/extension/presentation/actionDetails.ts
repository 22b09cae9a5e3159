import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { TrackedJob } from '../../jobs/trackedJob';
import { COMMANDS } from '../ids';
import { openJobRepositories } from '../platform/jobRepository';
import { localDecision } from '../platform/localWork';
import type { PullRequestStates } from '../platform/pullRequestStates';
import { toPickLabel } from '../platform/sanitize';

/** Explains commands about a job in one line each, for the lists to choose from. */
export async function actionDetails(
  job: TrackedJob,
  { pulls, localAvailable }: { pulls: Pick<PullRequestStates, 'of'>; localAvailable: boolean },
): Promise<ReadonlyMap<string, string>> {
  const decision = localDecision(job, pulls);
  const into = decision === 'open' ? await checkedOutBranch(job, localAvailable) : undefined;
  const merge =
    into === undefined
      ? vscode.l10n.t('Into your branch, as one commit')
      : vscode.l10n.t('Into branch “{0}”, as one commit', toPickLabel(into));
  const archive =
    decision === 'merged'
      ? vscode.l10n.t('Frees disk space; the merged changes stay')
      : job.snapshot?.ref == null
        ? vscode.l10n.t('Marks the job as done and frees disk space')
        : vscode.l10n.t('Marks the job as done and frees disk space; its branch stays');
  const details: [string, string][] = [
    [COMMANDS.mergeJob, merge],
    [COMMANDS.reopenJob, vscode.l10n.t('Lets you merge it after all')],
    [COMMANDS.applyChanges, vscode.l10n.t('Applies the changes to your files without committing them')],
    [COMMANDS.closeJob, vscode.l10n.t('Sets the changes aside without merging; you can reopen the job')],
    [COMMANDS.undoMerge, vscode.l10n.t('Removes the merged commit, restores the branch, and reopens the job')],
    [COMMANDS.restoreBranch, vscode.l10n.t('Brings back the branch that the merge deleted')],
    [COMMANDS.untrackJob, vscode.l10n.t('Hides the job here; you can restore it')],
  ];
  return new Map(job.home.service === LOCAL_SERVICE ? [...details, [COMMANDS.archiveJob, archive]] : details);
}

/** The branch to merge into, if the job's repository is open; undefined if the service would choose another one. */
async function checkedOutBranch(job: TrackedJob, localAvailable: boolean): Promise<string | undefined> {
  const [found, ...others] = await openJobRepositories(job, localAvailable).catch(() => []);
  const name = found?.repository.state.HEAD?.name;
  return others.length > 0 || name === job.snapshot?.ref ? undefined : name;
}
