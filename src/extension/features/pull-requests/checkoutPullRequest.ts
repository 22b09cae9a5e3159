import * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import { Git } from '../../../git/git';
import { LOCAL_SERVICE } from '../../../jobs/events';
import type { JobStore } from '../../../jobs/jobStore';
import { type CheckoutRecord, CheckoutRecords } from '../../../jobs/store/checkoutRecords';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { gitErrorText } from '../../platform/branchToFetch';
import { readJobName } from '../../platform/commandArguments';
import { gitApi, type GitRepository } from '../../platform/gitExtension';
import { type JobRepository, jobRepository, shownName, showWarning } from '../../platform/jobRepository';
import { localReview } from '../../platform/pullRequestLink';
import type { Milestones } from '../../platform/milestones';
import { toLabel, toNotice, toQuestion } from '../../platform/sanitize';
import type { JobPicker } from '../../presentation/jobPicker';
import { markSeen } from '../../presentation/openPullRequest';
import {
  popWithoutConflict,
  type CheckoutResult,
  checkOut,
  type CheckOutOptions,
  locateStash,
  type Stash,
} from './checkOut';
import { fetchBranch, restoreDeletedBranch } from './fetchBranch';
import { type ReadingGit, TooManyChanges } from './checkoutObstacles';
import { JobBranches } from './jobBranches';
import { type OpenChangesOptions, toldWork } from './openChanges';

export interface CheckoutPullRequestOptions {
  store: JobStore;
  picker: JobPicker;
  localAvailable: boolean;
  localAccess: OpenChangesOptions['localAccess'];
  milestones: Pick<Milestones, 'reach'>;
  review: () => Promise<unknown>;
  branches: () => Promise<Pick<JobBranches, 'keeper' | 'recordOf'>>;
  log: Logger;
}

/** The checked out job branches, with the way back from each. */
export function startBranches(folder: string, log: Logger): JobBranches {
  const records = new CheckoutRecords(folder);
  return new JobBranches({ records, goBack: (repository, record) => goBack({ repository }, record, log), log });
}

const hasBranch = ({ snapshot }: TrackedJob): boolean => snapshot?.ref != null && snapshot.status !== 'active';

/** Checks out a job's branch in an open repository. Stashes changes if the user agrees; never uses force. */
export async function checkoutPullRequest(options: CheckoutPullRequestOptions, argument: unknown): Promise<void> {
  const { store, picker, localAvailable, log } = options;
  const job = await picker.choose(readJobName(argument), 'checkOut', hasBranch);
  const found = job && (await jobRepository(job, localAvailable));
  // The branch of a pull request comes from its remote.
  const told = found && localReview(job) !== undefined ? await toldWork(options, job) : undefined;
  const isWanted = found && (await restoreDeletedBranch(found, told?.commit));
  const at = isWanted && (await fetchBranch(found, job.home.service === LOCAL_SERVICE, log));
  if (job === undefined || found === undefined || at === undefined || at === false) {
    return;
  }
  const { repository, ref } = found;
  const branches = await options.branches();
  const keep = await branches.keeper(repository, ref);
  let way: CheckoutRecord | undefined;
  const end = await switchBranch(found, at, log, async (progress) => {
    way = await keep(progress);
  });
  if (end.is === 'done' || end.is === 'there') {
    await markSeen(store, job);
    options.milestones.reach('pullRequestOpened');
    // From now on, the branch's files can be commented on.
    await options.review().catch((error: unknown) => log.error('couldn’t show comments on changes', error));
    way = end.is === 'there' ? branches.recordOf(repository) : way;
    await showCheckedOut(found, end, { way, failure: at.failure }, log);
  }
}

async function switchBranch(
  { repository, ref, git }: { repository: GitRepository; ref: string; git?: ReadingGit | undefined },
  at: CheckOutOptions['at'],
  log: Logger,
  keep?: CheckOutOptions['keep'],
  ask = askToStash,
): Promise<CheckoutResult> {
  const [branch, name] = [toNotice(ref, 100), shownName(repository)];
  const end = await checkOut({
    repository,
    git: git ?? new Git(process.env, (await gitApi())?.git.path),
    ref,
    at,
    // If making the stash is interrupted, its message is all that identifies it.
    message: vscode.l10n.t('Before checking out {0} ({1})', toLabel(ref, 70), new Date().toISOString()),
    ...(keep && { keep }),
    questions: {
      stash: (files) => ask(name, toQuestion(ref, 100), files),
      stashByCommand: async () => vscode.commands.executeCommand('git.stash', repository.rootUri),
    },
  });
  switch (end.is) {
    case 'unfinished':
      showWarning(
        vscode.l10n.t(
          'A “git {0}” is in progress in {1}. Finish it with “git {0} --continue” or cancel it, then check out {2}. Nothing was changed.',
          end.command,
          name,
          branch,
        ),
      );
      break;
    case 'conflicts':
      showWarning(
        vscode.l10n.t(
          'Files in {0} have conflicts. Resolve them, then check out {1}. Nothing was changed.',
          name,
          branch,
        ),
      );
      break;
    case 'wouldLose':
      showWarning(obstacleText(end, branch));
      break;
    case 'notStashed':
      showWarning(notStashedText(end, name, branch));
      break;
    case 'failed':
      log.warn('couldn’t check out a branch', end.error);
      showWarning(checkoutFailureText(end, branch));
      break;
    default:
  }
  return end;
}

function obstacleText({ path, why }: Extract<CheckoutResult, { is: 'wouldLose' }>, branch: string): string {
  switch (why) {
    case 'unstashable':
      return vscode.l10n.t(
        '{0} was replaced by a file or folder that Git can’t stash. Commit or move it, then check out {1}. Nothing was changed.',
        toNotice(path, 200),
        branch,
      );
    case 'unnoticed':
      return vscode.l10n.t(
        '{0} has changes that Git was told to ignore (“assume unchanged”), and a stash would lose them. Save them elsewhere, then check out {1}. Nothing was changed.',
        toNotice(path, 200),
        branch,
      );
    case 'overwritten':
      return vscode.l10n.t(
        'Checking out {1} would overwrite {0}, which Git doesn’t track. Move or rename it, then try again. Nothing was changed.',
        toNotice(path, 200),
        branch,
      );
  }
}

function notStashedText(
  { wasStashed, stash }: Extract<CheckoutResult, { is: 'notStashed' }>,
  name: string,
  branch: string,
): string {
  if (!wasStashed) {
    return vscode.l10n.t(
      'The changes in {0} weren’t stashed, so {1} wasn’t checked out. Nothing was changed.',
      name,
      branch,
    );
  }
  const now = stash === undefined ? vscode.l10n.t('Your files weren’t changed.') : stashText(stash);
  return vscode.l10n.t('Some changes in {0} couldn’t be stashed, so {1} wasn’t checked out. {2}', name, branch, now);
}

function checkoutFailureText(end: Extract<CheckoutResult, { is: 'failed' }>, branch: string): string {
  if (end.error instanceof TooManyChanges) {
    return vscode.l10n.t('This branch changes too many files to check out safely. Check it out with Git instead.');
  }
  const other = vscode.l10n.t('Git found something other than a branch with that name');
  const why = end.error === undefined ? other : gitErrorText(end.error);
  if (end.isIntact) {
    return vscode.l10n.t('Git couldn’t check out {0}: {1}. Your files weren’t changed.', branch, why);
  }
  const rest =
    end.stash === undefined
      ? vscode.l10n.t('See the Source Control view for the current state.')
      : stashText(end.stash);
  return vscode.l10n.t('Git couldn’t check out {0}: {1}. {2}', branch, why, rest);
}

function stashText({ hasIndex, message }: Stash): string {
  return hasIndex
    ? vscode.l10n.t(
        'Your changes are in the stash “{0}”. To restore them and what was staged, run “git stash pop --index” in a terminal.',
        toNotice(message, 120),
      )
    : vscode.l10n.t('Your changes are in the latest stash. Restore them with “Git: Pop Latest Stash”.');
}

async function askToStash(name: string, branch: string, files: number): Promise<boolean> {
  const stash = vscode.l10n.t('Stash and Check Out');
  const text =
    files === 1
      ? vscode.l10n.t('1 file in {0} has uncommitted changes. Stash them and check out {1}?', name, branch)
      : vscode.l10n.t('{0} files in {1} have uncommitted changes. Stash them and check out {2}?', files, name, branch);
  const detail = vscode.l10n.t(
    'They’re kept in a stash until you go back, or bring them back with “Git: Pop Latest Stash”. Untracked files stay where they are.',
  );
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, stash)) === stash;
}

/** The same question when going back; this stash is not restored automatically. */
async function askToStashAndGoBack(name: string, branch: string, files: number): Promise<boolean> {
  const stash = vscode.l10n.t('Stash and Go Back');
  const text =
    files === 1
      ? vscode.l10n.t('1 file in {0} has uncommitted changes. Stash them and go back to {1}?', name, branch)
      : vscode.l10n.t('{0} files in {1} have uncommitted changes. Stash them and go back to {2}?', files, name, branch);
  const detail = vscode.l10n.t(
    'They’re kept in a stash until you bring them back with “Git: Pop Latest Stash”. Untracked files stay where they are.',
  );
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, stash)) === stash;
}

async function showCheckedOut(
  found: JobRepository,
  end: Extract<CheckoutResult, { is: 'done' | 'there' }>,
  { way, failure }: { way: CheckoutRecord | undefined; failure: string | undefined },
  log: Logger,
): Promise<void> {
  const { repository, ref } = found;
  const branch = toNotice(ref, 100);
  const isNew = end.is === 'done';
  const parts = [
    isNew
      ? vscode.l10n.t('Checked out {0} in {1}.', branch, shownName(repository))
      : vscode.l10n.t('{0} is already checked out.', branch),
    isNew && end.error !== undefined ? vscode.l10n.t('Git reported: {0}.', gitErrorText(end.error)) : '',
    isNew && end.stash !== undefined ? stashText(end.stash) : '',
    end.differs ? vscode.l10n.t('Your branch differs from the remote. Pull to update it.') : '',
    failure === undefined ? '' : vscode.l10n.t('Couldn’t fetch from the remote ({0}).', failure),
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  const last = isNew ? (way ?? end) : way;
  if (last === undefined || last.before === '' || last.before === ref) {
    void vscode.window.showInformationMessage(text);
    return;
  }
  const back = vscode.l10n.t('Back to {0}', placeLabel(last.before));
  if ((await vscode.window.showInformationMessage(text, back)) === back) {
    await goBack(found, last, log);
  }
}

/** A branch name or an abbreviated commit id, as a label. */
export function placeLabel(place: string): string {
  return toLabel(/^[0-9a-f]{40}/.test(place) ? place.slice(0, 7) : place, 60);
}

/**
 * Goes back to what was checked out before, by the same rules, and restores the stash if that can't conflict. Otherwise
 * the stash is kept, and a notice says so.
 */
export async function goBack(
  { repository, git }: { repository: GitRepository; git?: ReadingGit },
  { before, stash, message = stash?.message }: Pick<CheckoutRecord, 'before' | 'stash' | 'message'>,
  log: Logger,
): Promise<void> {
  const target = { repository, git, ref: before };
  const end = await switchBranch(target, { local: before }, log, undefined, askToStashAndGoBack);
  if (end.is !== 'done' && end.is !== 'there') {
    return;
  }
  const text = vscode.l10n.t('Back on {0}.', placeLabel(before));
  const more = end.is === 'done' ? end.stash : undefined;
  const { stash: first, place } = await locateStash(repository, { stash, message });
  const isBack = first !== undefined && place === 'newest' && (await popWithoutConflict(repository, first));
  const left = place !== 'gone' && first !== undefined ? whereKept(first, more, place) : more && stashText(more);
  const words = isBack ? vscode.l10n.t('Your changes were restored.') : left;
  void vscode.window.showInformationMessage(words === undefined ? text : `${text} ${words}`);
}

function whereKept(first: Stash, second: Stash | undefined, place: 'newest' | 'older'): string {
  const name = toNotice(first.message, 120);
  if (second !== undefined) {
    const other = toNotice(second.message, 120);
    return vscode.l10n.t(
      'Your changes are in two stashes, “{0}” and “{1}”. Select one with “Git: Pop Stash…”.',
      name,
      other,
    );
  }
  if (first.hasIndex) {
    return stashText(first);
  }
  return place === 'newest'
    ? vscode.l10n.t(
        'Your changes stay in the latest stash because they could conflict with other changes. Restore them with “Git: Pop Latest Stash”.',
      )
    : vscode.l10n.t('Your changes are no longer in the latest stash. Select “{0}” with “Git: Pop Stash…”.', name);
}
