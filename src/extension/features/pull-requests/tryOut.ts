import * as vscode from 'vscode';
import { GitError } from '../../../git/git';
import { LOCAL_SERVICE } from '../../../jobs/events';
import { readJobName } from '../../platform/commandArguments';
import type { GitRepository } from '../../platform/gitExtension';
import { jobRepository, shownName, showWarning } from '../../platform/jobRepository';
import { localReview } from '../../platform/pullRequestLink';
import { toNotice, toQuestion } from '../../platform/sanitize';
import { showWithSourceControl } from '../../platform/sourceControl';
import { markSeen } from '../../presentation/openPullRequest';
import { fetchBranch } from './fetchBranch';
import { readReportedWork } from './openChanges';
import type { ReviewApp } from './register';
import { restoreDeletedBranch } from './restoreBranch';
import { openWorktree, switchTo, type Target, editorGit } from './switchTo';
import { placeName } from './wayBack';

/** Checks out a job's branch in an open repository, or in a worktree if files have uncommitted changes. */
export async function checkoutPullRequest(options: ReviewApp, argument: unknown): Promise<void> {
  const { store, picker, localAvailable, log } = options;
  const job = await picker.choose(readJobName(argument), 'checkoutPullRequest');
  const found = job && (await jobRepository(job, localAvailable));
  // The branch of a pull request comes from its remote.
  const reported = found && localReview(job) !== undefined ? await readReportedWork(options, job) : undefined;
  const isWanted = found && (await restoreDeletedBranch(found, reported?.commit));
  const at = isWanted && (await fetchBranch(found, job.home.service === LOCAL_SERVICE, log));
  if (job === undefined || found === undefined || at === undefined || at === false) {
    return;
  }
  const { repository, ref } = found;
  const target = { ref: `refs/heads/${ref}`, start: at.local === undefined ? at.remote : undefined };
  const end = await switchTo(options, repository, target, async (files) => {
    if (await openInWorktree(options, repository, target, files)) {
      await markSeen(store, job);
    }
  });
  if (end === undefined) {
    return;
  }
  await markSeen(store, job);
  options.milestones.record('pullRequestOpened');
  // From now on, the branch's files can be commented on.
  await options.review().catch((error: unknown) => log.error('couldn’t show comments on changes', error));
  const wayBack = await options.wayBack();
  await (end.before && wayBack.note(repository, ref, end.before));
  const branch = toNotice(ref, 100);
  const differs = at.local !== undefined && at.remote !== undefined && at.local !== at.remote.commit;
  const parts = [
    end.before === undefined
      ? vscode.l10n.t('{0} is already checked out.', branch)
      : vscode.l10n.t('Checked out {0} in {1}.', branch, shownName(repository)),
    end.said === undefined ? '' : vscode.l10n.t('Git reported: {0}.', toNotice(end.said, 200)),
    differs ? vscode.l10n.t('Your branch differs from the remote. Pull to update it.') : '',
    at.failure === undefined ? '' : vscode.l10n.t('Couldn’t fetch from the remote ({0}).', at.failure),
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  const before = wayBack.before(repository);
  const back = before === undefined ? [] : [vscode.l10n.t('Back to {0}', toNotice(placeName(before), 60))];
  if ((await vscode.window.showInformationMessage(text, ...back)) !== undefined) {
    await leaveBranch(options);
  }
}

/** Offers to check out a branch in a worktree, because files have uncommitted changes. Returns whether it is. */
async function openInWorktree(
  { repositories, log }: ReviewApp,
  repository: GitRepository,
  { ref, start }: Target,
  files: number,
): Promise<boolean> {
  const name = placeName(ref);
  const folder = shownName(repository);
  const text =
    files === 1
      ? vscode.l10n.t('1 file in {0} has uncommitted changes.', folder)
      : vscode.l10n.t('{0} files in {1} have uncommitted changes.', files, folder);
  const detail = vscode.l10n.t(
    'Commit your changes before you check out {0}. Or open it in a worktree, a second folder of the repository, and leave this one as it is.',
    toQuestion(name, 100),
  );
  const open = vscode.l10n.t('Open in Worktree');
  if ((await vscode.window.showWarningMessage(text, { modal: true, detail }, open)) !== open) {
    return false;
  }
  // Where the Git extension creates worktrees.
  const path = `${repository.rootUri.fsPath}.worktrees/${name.replaceAll('/', '-')}`;
  const run = await editorGit(repositories, repository);
  try {
    await run('worktree', 'add', ...(start === undefined ? [path, name] : ['-b', name, path, start.name]));
  } catch (error) {
    if (!(error instanceof GitError)) {
      throw error;
    }
    log.warn('couldn’t create a worktree', error);
    showWarning(vscode.l10n.t('Git couldn’t create the worktree: {0}', toNotice(error.message, 400)));
    return false;
  }
  await openWorktree(path);
  return true;
}

/** Goes back to what was checked out before a job's branch. */
export async function leaveBranch(options: ReviewApp & Pick<ReviewApp, 'wayBack'>): Promise<void> {
  const wayBack = await options.wayBack();
  const repository = await wayBack.refresh();
  const before = repository && wayBack.before(repository);
  if (repository === undefined || before === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('No job’s branch is checked out here. Choose “Check Out Branch…” in a job’s menu first.'),
    );
    return;
  }
  const [folder, place] = [shownName(repository), toNotice(placeName(before), 60)];
  const stop = async (files: number): Promise<void> =>
    showWithSourceControl(
      files === 1
        ? vscode.l10n.t('1 file in {0} has uncommitted changes. Commit it, then go back to {1}.', folder, place)
        : vscode.l10n.t(
            '{0} files in {1} have uncommitted changes. Commit them, then go back to {2}.',
            files,
            folder,
            place,
          ),
    );
  if ((await switchTo(options, repository, { ref: before }, stop)) !== undefined) {
    await wayBack.forget(repository);
    void vscode.window.showInformationMessage(vscode.l10n.t('Back on {0}.', place));
  }
}
