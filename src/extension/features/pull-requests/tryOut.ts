import * as vscode from 'vscode';
import { GitError } from '../../../git/git';
import { LOCAL_SERVICE } from '../../../jobs/events';
import { markSeen } from '../../../jobs/jobStore';
import { findReplacedSubmodules, findUnfinishedOperation } from '../../../git/obstacles';
import { runEditorGit } from '../../../git/editorGit';
import { readJobName } from '../../platform/commandArguments';
import type { GitRepository } from '../../platform/gitExtension';
import { jobRepository, shownName, showWarning } from '../../platform/jobRepository';
import { toNotice, toQuestion } from '../../platform/sanitize';
import { showWithSourceControl } from '../../platform/sourceControl';
import { fetchBranch } from './fetchBranch';
import type { ReviewApp } from './register';
import { placeName } from './wayBack';

/** Checks out a job's branch in an open repository, or in a worktree if files have uncommitted changes. */
export async function checkoutPullRequest(options: ReviewApp, argument: unknown): Promise<void> {
  const { store, picker, localAvailable, log } = options;
  const job = await picker.choose(readJobName(argument), 'checkoutPullRequest');
  const found = job && (await jobRepository(job, localAvailable));
  const at = found && (await fetchBranch(found, job.location.service === LOCAL_SERVICE, log));
  if (job === undefined || found === undefined || at === undefined) {
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

/** What to check out. */
export interface Target {
  /** The full name of a branch, or a commit. */
  ref: string;
  /** The branch of a remote that the branch is created from. */
  start?: { name: string; commit: string } | undefined;
}

/**
 * Switches the work tree of a repository. Git refuses whatever it would overwrite, and nothing is stashed.
 *
 * @param onUncommitted called instead if that many files have uncommitted changes
 * @returns what was checked out before, if it was something else, as in `Target`, or empty before the first commit; and
 * what git said although the target is checked out now, such as that a hook failed. Undefined if it isn't (the user is
 * notified).
 */
export async function switchTo(
  { repositories, log }: ReviewApp,
  repository: GitRepository,
  { ref, start }: Target,
  onUncommitted: (files: number) => Promise<void>,
): Promise<{ before?: string; said?: string } | undefined> {
  const name = placeName(ref);
  const shown = toNotice(name, 100);
  try {
    const { git, place } = await repositories.open(repository);
    const ask = async (...args: string[]): Promise<string> => {
      try {
        return (await git.run(place, args)).trim();
      } catch (error) {
        if (error instanceof GitError && error.exitCode === 1) {
          return '';
        }
        throw error;
      }
    };
    const readCommit = (): Promise<string> => ask('rev-parse', '--verify', '--quiet', 'HEAD');
    const readHead = async (): Promise<string> => (await ask('symbolic-ref', '--quiet', 'HEAD')) || readCommit();
    const before = (await readCommit()) === '' ? '' : await readHead();
    if (before === ref) {
      return {};
    }
    const elsewhere = await ask('for-each-ref', '--format=%(worktreepath)', ref);
    if (elsewhere !== '') {
      const open = vscode.l10n.t('Open Worktree');
      const text = vscode.l10n.t('{0} is checked out in another worktree.', shown);
      if ((await vscode.window.showInformationMessage(text, open)) === open) {
        await openWorktree(elsewhere);
      }
      return undefined;
    }
    const operation = await findUnfinishedOperation(git, place);
    if (operation !== undefined) {
      showWarning(
        vscode.l10n.t(
          'A “git {0}” is in progress in {1}. Finish or cancel it, then check out {2}. Nothing was changed.',
          operation,
          shownName(repository),
          shown,
        ),
      );
      return undefined;
    }
    const [submodule] = before === '' ? [] : await findReplacedSubmodules(git, place, before, start?.commit ?? ref);
    if (submodule !== undefined) {
      showWarning(
        vscode.l10n.t(
          'Checking out {0} would replace the submodule {1} with a file, and Git would delete what’s in it. Move its folder away, then try again. Nothing was changed.',
          shown,
          toNotice(submodule, 200),
        ),
      );
      return undefined;
    }
    const run = await editorGit(repositories, repository);
    const changed = await run(
      'status',
      '--porcelain',
      '-z',
      '--no-renames',
      '--untracked-files=no',
      '--ignore-submodules',
    );
    const files = changed.split('\0').length - 1;
    if (files > 0) {
      await onUncommitted(files);
      return undefined;
    }
    const isBranch = ref.startsWith('refs/heads/');
    const where = start !== undefined ? ['--create', name, start.name] : isBranch ? [name] : ['--detach', ref];
    const progress = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Checking out {0}…', shown) };
    const refusal = await vscode.window.withProgress(progress, () =>
      run('switch', '--quiet', '--no-overwrite-ignore', '--no-recurse-submodules', ...where).then(
        () => undefined,
        (error: unknown) => error as Error,
      ),
    );
    await repository.status();
    // git reports a failed hook as a failed switch.
    if (refusal !== undefined && (await readHead()) !== ref) {
      throw refusal;
    }
    return { before, ...(refusal && { said: refusal.message }) };
  } catch (error) {
    if (!(error instanceof GitError)) {
      throw error;
    }
    log.warn('couldn’t check out a branch', error);
    // With a button, all of the text is shown.
    void showWithSourceControl(vscode.l10n.t('Git couldn’t check out {0}: {1}', shown, toNotice(error.message, 400)));
    return undefined;
  }
}

/** Returns how to run the user's own git in a repository. */
export async function editorGit(
  repositories: ReviewApp['repositories'],
  { rootUri }: GitRepository,
): Promise<(...args: string[]) => Promise<string>> {
  const program = await repositories.program();
  return (...args) => runEditorGit(program, rootUri.fsPath, args);
}

export async function openWorktree(folder: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), { forceNewWindow: true });
}
