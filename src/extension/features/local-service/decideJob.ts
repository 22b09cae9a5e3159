import * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { ServiceError } from '../../../protocol/errors';
import type { MergedWork, MergeForecast } from '../../../protocol/localService';
import { COMMANDS, type CommandId } from '../../ids';
import { readJobName } from '../../platform/commandArguments';
import { getLocalWorkKey, localDecision } from '../../platform/localWork';
import type { PullRequestState, PullRequestStates } from '../../platform/pullRequestStates';
import { toLabel, toNotice, toPickLabel, toQuestion } from '../../platform/sanitize';
import { actionDetails } from '../../presentation/actionDetails';
import { jobTitle } from '../../presentation/jobText';
import { serviceText } from '../../presentation/serviceText';
import { isOver, type LocalJobOptions, markSeen, runRequest, showRefusal } from './localServiceCommands';

export interface DecisionOptions extends LocalJobOptions {
  pulls: Pick<PullRequestStates, 'of' | 'set'>;
  localAvailable: boolean;
  log: Logger;
  /** Counts the review comments of a job that are unsent, or that the agent has not addressed. */
  openComments: (jobKey: string) => Promise<number>;
}

/** Lets the user choose what becomes of an ended local job and its work. */
export async function finishJob(options: DecisionOptions, argument: unknown): Promise<void> {
  const job = await options.picker.choose(readJobName(argument), 'finish', (each) => endings(options, each).length > 0);
  if (job === undefined) {
    return;
  }
  const about = { title: toPickLabel(jobTitle(job)), placeHolder: vscode.l10n.t('Select an action') };
  const details = await actionDetails(job, options);
  const rows = endings(options, job).map((ending) => ({ detail: details.get(ending.command) ?? '', ...ending }));
  const chosen = await vscode.window.showQuickPick(rows, about);
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command, { jobKey: job.key });
  }
}

type Ending = vscode.QuickPickItem & { command: CommandId; isThere: boolean };

/** What can become of the job now. */
function endings({ pulls }: Pick<DecisionOptions, 'pulls'>, job: TrackedJob): Ending[] {
  const decision = localDecision(job, pulls);
  const all: Ending[] = [
    {
      command: COMMANDS.mergeJob,
      label: `$(git-merge) ${vscode.l10n.t('Merge…')}`,
      isThere: decision === 'open',
    },
    {
      command: COMMANDS.reopenJob,
      label: `$(git-pull-request) ${vscode.l10n.t('Reopen')}`,
      isThere: decision === 'closed',
    },
    {
      command: COMMANDS.applyChanges,
      label: `$(diff) ${vscode.l10n.t('Apply to My Files')}`,
      isThere: decision === 'open' || decision === 'closed',
    },
    {
      command: COMMANDS.closeJob,
      label: `$(git-pull-request-closed) ${vscode.l10n.t('Close')}`,
      isThere: decision === 'open',
    },
    {
      command: COMMANDS.openPullRequest,
      label: `$(link-external) ${vscode.l10n.t('Open Pull Request')}`,
      detail: vscode.l10n.t('Merge or close it there'),
      isThere: decision === undefined && job.snapshot?.prLink != null,
    },
    {
      command: COMMANDS.undoMerge,
      label: `$(discard) ${vscode.l10n.t('Undo Merge')}`,
      isThere: decision === 'merged',
    },
    {
      command: COMMANDS.restoreBranch,
      label: `$(git-branch) ${vscode.l10n.t('Restore Branch')}`,
      isThere: decision === 'merged',
    },
    { command: COMMANDS.archiveJob, label: `$(archive) ${vscode.l10n.t('Archive')}`, isThere: true },
  ];
  return isOver(job) ? all.filter(({ isThere }) => isThere) : [];
}

/** What has changed since the preview if a merge is refused with one of these codes. The user is asked again. */
const OUTDATED: readonly string[] = ['otherBranch', 'branchChanged', 'newerChanges'];

/** Merges a local job's work into the user's branch, after asking once. */
export async function mergeJob(options: DecisionOptions, argument: unknown): Promise<void> {
  const job = await chooseJob(options, argument, 'merge', 'open');
  if (job === undefined) {
    return;
  }
  let merged: MergedWork | 'outdated' | undefined = 'outdated';
  while (merged === 'outdated') {
    const shown = await previewed(options, job);
    merged = shown && (await confirmMerge(options, job, shown)) ? await tryMerge(options, job, shown) : undefined;
  }
  if (merged !== undefined) {
    await decided(options, job, 'merged');
    await showMerged(options, job, merged);
  }
}

/** Closes the review of a local job without merging its work. */
export async function closeJob(options: DecisionOptions, argument: unknown): Promise<void> {
  const job = await chooseJob(options, argument, 'close', 'open');
  if (job !== undefined && (await runRequest(() => options.localAccess.decide(job.home, idOf(job), 'close')))) {
    await decided(options, job, 'closed');
  }
}

/** Opens a closed review again. */
export async function reopenJob(options: DecisionOptions, argument: unknown): Promise<void> {
  const job = await chooseJob(options, argument, 'reopen', 'closed');
  if (job !== undefined && (await runRequest(() => options.localAccess.decide(job.home, idOf(job), 'reopen')))) {
    await decided(options, job, 'open');
  }
}

/** Takes merged work back out of the user's branch. The service refuses if that has changed since. */
export async function undoMerge(options: DecisionOptions, argument: unknown): Promise<void> {
  const job = await chooseJob(options, argument, 'undoMerge', 'merged');
  const undone: { branch?: string | null } = {};
  const isUndone =
    job !== undefined &&
    (await runRequest(async () => {
      undone.branch = (await options.localAccess.undoMerge(job.home, idOf(job))).branch;
    }));
  if (!isUndone) {
    return;
  }
  await decided(options, job, 'open');
  const title = toLabel(jobTitle(job), 80);
  const text =
    undone.branch == null
      ? vscode.l10n.t(
          'No branch contains the merge of “{0}”, so there was no commit to remove. The job was reopened.',
          title,
        )
      : vscode.l10n.t('Merge into “{1}” undone: {0}', title, toLabel(undone.branch, 80));
  void vscode.window.showInformationMessage(toNotice(text, 400));
}

function chooseJob(
  { picker, pulls }: DecisionOptions,
  argument: unknown,
  question: 'merge' | 'undoMerge' | 'close' | 'reopen',
  state: 'open' | 'merged' | 'closed',
): Promise<TrackedJob | undefined> {
  return picker.choose(readJobName(argument), question, (job) => localDecision(job, pulls) === state);
}

const idOf = ({ snapshot }: TrackedJob): string => snapshot?.id ?? '';

/** Returns undefined if the work can't be merged now (the user is notified). */
async function previewed({ localAccess }: DecisionOptions, job: TrackedJob): Promise<MergeForecast | undefined> {
  const found: { preview?: MergeForecast } = {};
  await runRequest(async () => void (found.preview = await localAccess.mergePreview(job.home, idOf(job))));
  const { preview } = found;
  if (preview !== undefined && (preview.into === '' || preview.blocked === true)) {
    showRefusal(preview.coded, preview.text);
    return undefined;
  }
  return preview;
}

async function confirmMerge(
  { localAccess, openComments, log }: DecisionOptions,
  job: TrackedJob,
  { into, coded, text, deletes }: MergeForecast,
): Promise<boolean> {
  const changes = await localAccess.changes(job.home, idOf(job)).catch(() => undefined);
  const count = changes === undefined ? 0 : changes.files.length + changes.more;
  const files =
    count === 0
      ? undefined
      : count === 1
        ? vscode.l10n.t('1 file will change in your repository.')
        : vscode.l10n.t('In all, {0} files will change in your repository.', count);
  const left = await openComments(job.key).catch((error: unknown) => {
    log.warn('couldn’t count the review comments of a job', error);
    return 0;
  });
  const comments =
    left === 0
      ? undefined
      : left === 1
        ? vscode.l10n.t('1 review comment is unsent or still open.')
        : vscode.l10n.t('{0} review comments are unsent or still open.', left);
  const branch =
    deletes == null
      ? undefined
      : vscode.l10n.t(
          'Branch “{0}” is deleted afterward. “Undo Merge” undoes the merge and restores the branch.',
          toQuestion(deletes, 100),
        );
  const told = [files, toQuestion(serviceText(coded, text), 400), branch, comments];
  const detail = told.filter((line) => line !== undefined).join('\n\n');
  const merge = vscode.l10n.t('Merge');
  const question = vscode.l10n.t('Merge “{0}” into “{1}”?', toQuestion(jobTitle(job), 80), toQuestion(into, 80));
  return (await vscode.window.showWarningMessage(toQuestion(question, 300), { modal: true, detail }, merge)) === merge;
}

/** Returns undefined if the service refused (the user is notified). */
async function tryMerge(
  { localAccess }: DecisionOptions,
  job: TrackedJob,
  { commit, into, head }: MergeForecast,
): Promise<MergedWork | 'outdated' | undefined> {
  const result: { merged?: MergedWork | 'outdated' } = {};
  await runRequest(async () => {
    try {
      result.merged = await localAccess.merge(job.home, idOf(job), { commit, into, head });
    } catch (error) {
      if (!(error instanceof ServiceError) || !OUTDATED.includes(error.coded?.code ?? '')) {
        throw error;
      }
      result.merged = 'outdated';
    }
  });
  return result.merged;
}

async function showMerged(options: DecisionOptions, job: TrackedJob, { branch, deleted }: MergedWork): Promise<void> {
  const [title, into] = [toLabel(jobTitle(job), 80), toLabel(branch, 80)];
  const text =
    deleted === null
      ? vscode.l10n.t('Merged “{0}” into “{1}”.', title, into)
      : vscode.l10n.t('Merged “{0}” into “{1}” and deleted branch “{2}”.', title, into, toLabel(deleted.branch, 100));
  const undo = vscode.l10n.t('Undo Merge');
  if ((await vscode.window.showInformationMessage(toNotice(text, 500), undo)) === undo) {
    await undoMerge(options, { jobKey: job.key });
  }
}

/** Shows the decision at once, instead of at the next query of the service. */
async function decided(options: DecisionOptions, job: TrackedJob, state: PullRequestState): Promise<void> {
  const work = getLocalWorkKey(job);
  if (work !== undefined) {
    await options.pulls.set(work, state);
  }
  await markSeen(options, job);
}
