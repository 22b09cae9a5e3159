import * as vscode from 'vscode';
import { KeyedQueue } from '../../../base/async';
import { applyChanges as applyToFiles, NotRestored } from '../../../git/applyChanges';
import { diffSummary } from '../../../git/diff';
import { GitError } from '../../../git/git';
import { readSubmodules } from '../../../git/obstacles';
import { readJobName } from '../../platform/commandArguments';
import {
  findBranchBase,
  type JobRepository,
  jobRepository,
  resolveCommit,
  showWarning,
} from '../../platform/jobRepository';
import { toNotice, toPickLabel } from '../../platform/sanitize';
import { showWithSourceControl } from '../../platform/sourceControl';
import { readReportedWork } from './fetchBranch';
import type { ReviewApp } from './register';
import { editorGit } from './tryOut';

/** How many files a message names. */
const MAX_NAMED = 3;

const turns = new KeyedQueue();

/** Applies the changes of a local job to the files that are checked out, without a commit. */
export async function applyChanges(options: ReviewApp, argument: unknown): Promise<void> {
  const { picker, localAvailable, log } = options;
  const job = await picker.choose(readJobName(argument), 'applyChanges');
  const found = job && (await jobRepository(job, localAvailable));
  const reported = found && (await readReportedWork(options, job));
  if (found === undefined) {
    return;
  }
  if (reported?.base == null || reported.commit === null) {
    showWarning(vscode.l10n.t('The local service didn’t return the job’s changes. Try again.'));
    return;
  }
  const shown = await shownWork(found, { base: reported.base, commit: reported.commit });
  try {
    // The same changes twice could both fit; the second call sees those of the first.
    const files = await turns.run(found.repository.rootUri.toString(), () => apply(options, found, shown));
    if (files === undefined) {
      return;
    }
    if (files.length === 0) {
      showWarning(vscode.l10n.t('There’s nothing to apply. Your files already contain these changes.'));
      return;
    }
    const text =
      files.length === 1
        ? vscode.l10n.t('Applied 1 changed file: {0}. It isn’t committed.', named(files))
        : vscode.l10n.t('Applied {0} changed files: {1}. They aren’t committed.', files.length, named(files));
    void showWithSourceControl(toNotice(text, 400), 'information');
  } catch (error) {
    if (!(error instanceof GitError)) {
      throw error;
    }
    log.warn('couldn’t apply the changes of a job', error);
    const text =
      error instanceof NotRestored
        ? vscode.l10n.t(
            'Couldn’t apply the changes: {0}. These files couldn’t be restored: {1}. Copies of the replaced files are in {2}.',
            error.message,
            named(error.paths),
            error.copies,
          )
        : vscode.l10n.t('Git couldn’t apply the changes: {0}. Nothing was changed.', error.message.replace(/\.$/, ''));
    void showWithSourceControl(toNotice(text, 800));
  }
}

/** Returns the changed files, none if they have the changes already. Undefined if it can't be done (the user is notified). */
async function apply(
  { repositories }: ReviewApp,
  { repository }: JobRepository,
  work: { base: string; commit: string } | undefined,
): Promise<string[] | undefined> {
  if (work === undefined) {
    return [];
  }
  const { base, commit } = work;
  const opened = await repositories.open(repository);
  const submodules = await readSubmodules(opened.git, opened.place, base, commit);
  if (submodules.length > 0) {
    const text = vscode.l10n.t(
      'These changes include submodules ({0}). Check out the branch instead.',
      named(submodules.map(({ path }) => path)),
    );
    showWarning(toNotice(text, 400));
    return undefined;
  }
  const { files } = await diffSummary(opened, [base, commit]);
  const paths = files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const places = new Map(paths.map((path) => [vscode.Uri.joinPath(repository.rootUri, path).toString(), path]));
  const unsaved = vscode.workspace.textDocuments
    .filter(({ isDirty }) => isDirty)
    .flatMap(({ uri }) => places.get(uri.toString()) ?? []);
  if (unsaved.length > 0) {
    showWarning(toNotice(vscode.l10n.t('Save or revert {0} first. Nothing was changed.', named(unsaved)), 400));
    return undefined;
  }
  const isNew = await applyToFiles(opened, { base, commit, paths }, await editorGit(repositories, repository));
  return isNew ? files.map(({ path }) => path) : [];
}

/**
 * The commits that “Review Changes” compares: the user may have committed to the job's branch. Undefined if no
 * commit is only on that branch.
 *
 * @param reported the commits that the service names
 */
export async function shownWork(
  found: Pick<JobRepository, 'repository' | 'ref' | 'remote'>,
  reported: { base: string; commit: string },
): Promise<{ base: string; commit: string } | undefined> {
  const tip = await resolveCommit(found.repository, `refs/heads/${found.ref}`);
  if (tip === undefined || tip === reported.commit) {
    return reported;
  }
  const base = await findBranchBase(found, tip, reported.base);
  return base === undefined ? undefined : { base, commit: tip };
}

function named(paths: readonly string[]): string {
  const names = paths.slice(0, MAX_NAMED).map((path) => toPickLabel(path));
  const more = paths.length - names.length;
  return more > 0 ? vscode.l10n.t('{0} and {1} more', names.join(', '), more) : names.join(', ');
}
