import * as vscode from 'vscode';
import { GitError } from '../../../git/git';
import { findReplacedSubmodules, findUnfinishedOperation } from '../../../git/obstacles';
import { runEditorGit } from '../../../git/editorGit';
import type { GitRepository } from '../../platform/gitExtension';
import { shownName, showWarning } from '../../platform/jobRepository';
import { toNotice } from '../../platform/sanitize';
import { showWithSourceControl } from '../../platform/sourceControl';
import type { ReviewApp } from './register';
import { placeName } from './wayBack';

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
