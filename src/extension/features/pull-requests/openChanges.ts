import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { type ChangeRepository, GIT_MS } from '../../../git/git';
import { LOCAL_SERVICE } from '../../../jobs/events';
import { markSeen } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { JobChanges } from '../../../protocol/changes';
import { type ChangedFile, changedFiles, versionUri } from '../../platform/fileVersions';
import { reader, readJobName, readSend } from '../../platform/commandArguments';
import {
  findBranchBase,
  commitsByPrompt,
  type JobRepository,
  jobRepository,
  knownBranch,
  openJobRepositories,
  showWarning,
} from '../../platform/jobRepository';
import { localReview } from '../../platform/pullRequestLink';
import type { SeenVersions } from '../../platform/seenVersions';
import { toLabel, toNotice, toPickLabel } from '../../platform/sanitize';
import { jobTitle } from '../../presentation/jobText';
import { fetchBranch, hasCommit, readReportedWork, type ReportedWork } from './fetchBranch';
import type { ChangesView } from './changesViews';
import type { ReviewApp } from './register';

/** How many files are opened at once: the editor loads both sides of each before it shows the first. */
const AT_ONCE = 100;

const hasBranch = ({ snapshot }: TrackedJob): boolean => snapshot?.ref != null && snapshot.status !== 'active';

/** Only what is new since the last review. */
const readSince = reader(z.object({ since: z.literal('lastReview') }));

/**
 * Opens a job's changes in the multi-file diff editor, from its branch, which is fetched first if it comes from a
 * remote: all of them, those since the last review, or those of the run of one prompt.
 */
export async function openChanges(options: ReviewApp, argument: unknown): Promise<void> {
  const { store, picker, localAvailable, log } = options;
  const wantsNew = readSince(argument) !== undefined;
  const name = readJobName(argument);
  const job = wantsNew
    ? await picker.choose(name, 'reviewNewChanges', name === undefined ? {} : { fits: hasBranch })
    : await picker.choose(name, 'reviewChanges');
  const reported = job && (await readReportedWork(options, job));
  if (job !== undefined && localReview(job) !== undefined && !(await isShownHere(job, localAvailable, reported))) {
    // The service can still show the changes.
    const text = vscode.l10n.t('The job’s commits aren’t in an open repository, so the browser shows the changes.');
    vscode.window.setStatusBarMessage(text, 10_000);
    await vscode.commands.executeCommand('docsAgent.openPullRequest', job.key);
    return;
  }
  const found = job && (await jobRepository(job, localAvailable));
  const at = found && (await fetchBranch(found, job.location.service === LOCAL_SERVICE, log, reported?.commit));
  // The remote branch has the agent's latest work.
  const newest = at?.remote?.commit ?? at?.local;
  if (job === undefined || found === undefined || at === undefined || newest === undefined) {
    return;
  }
  const { repository } = found;
  const range = await chooseRange(options, argument, { job, found, newest, reported });
  if (range === undefined) {
    return;
  }
  const { base, commit } = range;
  const source = await options.repositories.open(repository);
  const files = await changedFiles(repository, source, { base, commit, jobKey: job.key });
  // Before the editors open, because they ask for commenting ranges at once. A problem with comments must not prevent
  // viewing.
  try {
    // An earlier state takes no comments, because the agent works on the newest one.
    const review = commit === newest ? await options.review() : undefined;
    await review?.show({ jobKey: job.key, repository, base, commit, endedAt: job.endedAt }, (path, side) =>
      versionUri(repository, { path, commit: side === 'new' ? commit : base, jobKey: job.key, side }),
    );
  } catch (error) {
    log.error('couldn’t show comments on changes', error);
  }
  await showFiles(options, { job, range, source, files }, 0);
  if (at.failure !== undefined) {
    const text = vscode.l10n.t('Couldn’t fetch the branch, so it may be out of date: {0}', at.failure);
    vscode.window.setStatusBarMessage(`$(warning) ${toPickLabel(text)}`, 10_000);
  }
  options.milestones.record('pullRequestOpened');
  await markSeen(store, job);
  await (range.isReview && options.seen.noteReviewed(job, newest));
}

/** The files that differ, and where to read them. */
interface ShownChanges {
  job: TrackedJob;
  range: ShownRange;
  source: ChangeRepository;
  files: readonly ChangedFile[];
}

/** Opens some of the changed files in place of those that are open, and offers the next ones. */
async function showFiles(
  options: Pick<ReviewApp, 'versions' | 'opened' | 'log'>,
  changes: ShownChanges,
  from: number,
): Promise<void> {
  const { job, range, files } = changes;
  const shown = files.slice(from, from + AT_ONCE);
  const [first, last] = [from + 1, from + shown.length];
  const isPart = shown.length < files.length;
  const title = isPart
    ? vscode.l10n.t('{0}: files {1}–{2} of {3}', range.title, first, last, files.length)
    : range.title;
  const sides = shown.flatMap(([, before, after]) => [before, after]).filter((uri) => uri !== undefined);
  const source = { ...changes.source, signal: AbortSignal.timeout(GIT_MS) };
  await options.versions.readAhead(source, sides, () => vscode.commands.executeCommand('vscode.changes', title, shown));
  await options.opened.replace(job, activeView(title), {
    isAll: range.isAll,
    reviewed: range.isReview ? range.commit : undefined,
  });
  if (last < files.length) {
    const next = vscode.l10n.t('Show Next {0}', Math.min(AT_ONCE, files.length - last));
    const text = vscode.l10n.t('Files {0}–{1} of {2} are open.', first, last, files.length);
    void (async () => {
      if ((await vscode.window.showInformationMessage(text, next)) === next) {
        await showFiles(options, changes, last);
      }
    })().catch((error: unknown) => options.log.error('couldn’t show more changes', error));
  }
}

/** Returns whether an open repository has a job's branch or, if that was deleted after the merge, its commits. */
export async function isShownHere(
  job: TrackedJob,
  localAvailable: boolean,
  reported: Pick<JobChanges, 'base' | 'commit'> | undefined,
): Promise<boolean> {
  if ((await knownBranch(job, localAvailable)) !== undefined) {
    return true;
  }
  for (const { repository } of await openJobRepositories(job, localAvailable)) {
    if (reported?.commit != null && reported.base != null && (await hasCommit(repository, reported.commit))) {
      return true;
    }
  }
  return false;
}

interface ShownRange {
  base: string;
  commit: string;
  title: string;
  /** Whether the user has seen everything afterwards. */
  isReview: boolean;
  /** Whether these are all changes of the job. */
  isAll: boolean;
}

/** Returns which commits to compare; undefined if there is nothing to show (the user is notified). */
export async function chooseRange(
  { seen }: { seen: Pick<SeenVersions, 'reviewedCommit'> },
  argument: unknown,
  {
    job,
    found,
    newest,
    reported,
  }: { job: TrackedJob; found: JobRepository; newest: string; reported: ReportedWork | undefined },
): Promise<ShownRange | undefined> {
  const { repository, ref } = found;
  const title = toLabel(jobTitle(job), 80);
  const prompt = readSend(argument)?.promptId;
  if (prompt !== undefined) {
    if (reported === undefined) {
      showWarning(vscode.l10n.t('The local service didn’t return the job’s changes. Try again.'));
      return undefined;
    }
    const commit = commitsByPrompt(job.prompts, reported.rounds).get(prompt);
    if (commit === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('This run made no changes.'));
      return undefined;
    }
    const parent = await repository.getCommit(`${commit}~1`).catch(() => undefined);
    if (parent === undefined) {
      showWarning(vscode.l10n.t('This run’s commit isn’t in this repository.'));
      return undefined;
    }
    // As the job's page numbers them.
    const number = (reported.rounds ?? []).findIndex((round) => round.commit === commit) + 1;
    return {
      base: parent.hash,
      commit,
      title: vscode.l10n.t('{0}: run {1}', title, number),
      isReview: false,
      isAll: false,
    };
  }
  const wantsNew = readSince(argument) !== undefined;
  const newTitle = vscode.l10n.t('{0}: new changes', title);
  const run = wantsNew ? await lastFollowUp(repository, reported) : undefined;
  if (run !== undefined) {
    return { ...run, title: newTitle, isReview: run.commit === newest, isAll: false };
  }
  const reviewed = wantsNew ? await seen.reviewedCommit(job.key) : undefined;
  if (reviewed === newest) {
    const text = vscode.l10n.t('Nothing has changed since you last reviewed “{0}”.', toNotice(jobTitle(job), 80));
    void vscode.window.showInformationMessage(text);
    return undefined;
  }
  // The reviewed commit is gone if the branch was rewritten since.
  if (reviewed !== undefined && (await repository.getMergeBase(reviewed, newest).catch(() => undefined)) === reviewed) {
    return { base: reviewed, commit: newest, title: newTitle, isReview: true, isAll: false };
  }
  const base = await findBranchBase(found, newest, reported?.base);
  if (base === undefined) {
    showWarning(vscode.l10n.t('Branch {0} has no new changes. It may already be merged.', toNotice(ref, 100)));
    return undefined;
  }
  return { base, commit: newest, title, isReview: true, isAll: true };
}

/** What the last follow-up changed; undefined if there was none, or if its commits aren't here. */
async function lastFollowUp(
  repository: JobRepository['repository'],
  reported: ReportedWork | undefined,
): Promise<Pick<ShownRange, 'base' | 'commit'> | undefined> {
  const commits = (reported?.rounds ?? []).flatMap(({ commit }) => (commit === null ? [] : [commit]));
  const commit = commits.at(-1);
  if (commit === undefined || commits.length < 2) {
    return undefined;
  }
  const parent = await repository.getCommit(`${commit}~1`).catch(() => undefined);
  return parent && { base: parent.hash, commit };
}

/**
 * The tab just opened under this title. It counts as closed if another tab is already in front. The job's page has the
 * same title, and stays in front until VS Code has reported the new tab.
 */
export function activeView(title: string): ChangesView {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  const isOpen = (): boolean =>
    tab?.label.startsWith(title) === true &&
    !(tab.input instanceof vscode.TabInputWebview) &&
    vscode.window.tabGroups.all.some(({ tabs }) => tabs.includes(tab));
  const isActive = (): boolean => isOpen() && vscode.window.tabGroups.activeTabGroup.activeTab === tab;
  // The comment may have been begun while the newer changes were being read.
  const close = (): unknown => tab && !isCommentTyped() && vscode.window.tabGroups.close(tab, true);
  return { isOpen, isActive, close };
}

/** Whether a comment box has text, which only the editor has. Each box is a document. */
export function isCommentTyped(): boolean {
  return vscode.workspace.textDocuments.some((each) => each.uri.scheme === 'comment' && each.getText().trim() !== '');
}
