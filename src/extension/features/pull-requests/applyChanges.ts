import * as vscode from 'vscode';
import { KeyedQueue } from '../../../base/async';
import { type ApplyRefusal, applyChanges as applyToWorkTree } from '../../../git/applyChanges';
import { GitError } from '../../../git/git';
import { CHANGED, ReplaceError } from '../../../git/replaceFiles';
import { whyUnsaved } from '../../sending/promptLimits';
import { readJobName } from '../../platform/commandArguments';
import {
  findBranchBase,
  type JobRepository,
  jobRepository,
  resolveCommit,
  showWarning,
} from '../../platform/jobRepository';
import { localDecision } from '../../platform/localWork';
import type { PullRequestStates } from '../../platform/pullRequestStates';
import type { Repositories } from '../../platform/repositories';
import { toNotice, toPickLabel } from '../../platform/sanitize';
import { showWithSourceControl } from '../../platform/sourceControl';
import { type OpenChangesOptions, toldWork } from './openChanges';

export type ApplyChangesOptions = Pick<OpenChangesOptions, 'picker' | 'localAvailable' | 'localAccess' | 'log'> & {
  pulls: Pick<PullRequestStates, 'of'>;
  repositories: Pick<Repositories, 'open'>;
};

/** How long git may take, in milliseconds. */
const LIMIT_MS = 60_000;
/** How many files a message names. */
const MAX_NAMED = 3;

const turns = new KeyedQueue();

/** Applies the changes of a local job to the files that are checked out, without a commit. */
export async function applyChanges(options: ApplyChangesOptions, argument: unknown): Promise<void> {
  const { picker, pulls, localAvailable, repositories, log } = options;
  const job = await picker.choose(readJobName(argument), 'applyChanges', (each) =>
    ['open', 'closed'].includes(localDecision(each, pulls) ?? ''),
  );
  const found = job && (await jobRepository(job, localAvailable));
  const told = found && (await toldWork(options, job));
  if (found === undefined) {
    return;
  }
  if (told?.base == null || told.commit === null) {
    showWarning(vscode.l10n.t('The local service didn’t return the job’s changes. Try again.'));
    return;
  }
  const shown = await shownWork(found, { base: told.base, commit: told.commit });
  if (shown === undefined) {
    showWarning(toNotice(refusalText({ reason: 'nothing', paths: [] }), 400));
    return;
  }
  const root = found.repository.rootUri;
  const isUnsaved = (path: string): boolean => {
    const isFile = ({ uri }: vscode.TextDocument): boolean =>
      uri.toString() === vscode.Uri.joinPath(root, path).toString();
    return vscode.workspace.textDocuments.some((document) => document.isDirty && isFile(document));
  };
  try {
    const opened = await repositories.open(found.repository, AbortSignal.timeout(LIMIT_MS));
    const work = { ...opened, ...shown, isUnsaved };
    // The same changes twice would both fit if they only add lines; the second call sees those of the first.
    const result = await turns.run(root.toString(), () => applyToWorkTree(work));
    if (!Array.isArray(result)) {
      const notice = toNotice(refusalText(result), 400);
      if (result.reason === 'uncommitted') {
        void showWithSourceControl(notice);
      } else {
        showWarning(notice);
      }
      return;
    }
    const text =
      result.length === 1
        ? vscode.l10n.t('Applied 1 changed file: {0}. It isn’t committed.', named(result))
        : vscode.l10n.t('Applied {0} changed files: {1}. They aren’t committed.', result.length, named(result));
    void showWithSourceControl(toNotice(text, 400), 'information');
  } catch (error) {
    if (!(error instanceof GitError || error instanceof ReplaceError)) {
      throw error;
    }
    log.warn('couldn’t apply the changes of a job', error);
    const text =
      error instanceof ReplaceError
        ? replaceFailureText(error)
        : vscode.l10n.t('Couldn’t apply the changes: {0}', error.message);
    showWarning(toNotice(text, 800));
  }
}

/** Says what was not put back, and where the user finds it. */
export function replaceFailureText(error: ReplaceError): string {
  const { code, path, notRestored, copies } = error;
  const reason =
    code === CHANGED ? vscode.l10n.t('{0} was saved in the meantime', toPickLabel(path)) : whyUnsaved(error);
  return notRestored.length === 0
    ? vscode.l10n.t('Couldn’t apply the changes: {0}. Nothing was changed.', reason)
    : vscode.l10n.t(
        'Couldn’t apply the changes: {0}. These files couldn’t be restored: {1}. Copies of the replaced files are in {2}.',
        reason,
        named(notRestored),
        copies,
      );
}

/**
 * The commits that “Review Changes” compares: the user may have committed to the job's branch. Undefined if no
 * commit is only on that branch.
 *
 * @param told the commits that the service names
 */
export async function shownWork(
  found: Pick<JobRepository, 'repository' | 'ref' | 'remote'>,
  told: { base: string; commit: string },
): Promise<{ base: string; commit: string } | undefined> {
  const tip = await resolveCommit(found.repository, `refs/heads/${found.ref}`);
  if (tip === undefined || tip === told.commit) {
    return told;
  }
  const base = await findBranchBase(found, tip, told.base);
  return base === undefined ? undefined : { base, commit: tip };
}

function refusalText({ reason, paths }: ApplyRefusal): string {
  const files = named(paths);
  switch (reason) {
    case 'nothing':
      return vscode.l10n.t('There’s nothing to apply. Your branch already contains these changes.');
    case 'tooMany':
      return vscode.l10n.t('The job changed too many files to apply. Check out the branch instead.');
    case 'unsaved':
      return vscode.l10n.t('Save or revert {0} first. Nothing was changed.', files);
    case 'uncommitted':
      return vscode.l10n.t(
        'You have uncommitted changes in {0}. Commit or stash them first. Nothing was changed.',
        files,
      );
    case 'inTheWay':
      return vscode.l10n.t(
        'These files would be overwritten: {0}. Move or delete them first. Nothing was changed.',
        files,
      );
    case 'filtered':
      return vscode.l10n.t('A filter such as Git LFS manages {0}. Check out the branch instead.', files);
    case 'submodules':
      return vscode.l10n.t('These changes include submodules ({0}). Check out the branch instead.', files);
    case 'conflicts':
      return paths.length === 0
        ? vscode.l10n.t('The changes don’t apply to what’s checked out. Nothing was changed.')
        : vscode.l10n.t('There are conflicts in {0}. Nothing was changed.', files);
  }
}

function named(paths: readonly string[]): string {
  const names = paths.slice(0, MAX_NAMED).map((path) => toPickLabel(path));
  const more = paths.length - names.length;
  return more > 0 ? vscode.l10n.t('{0} and {1} more', names.join(', '), more) : names.join(', ');
}
