import * as vscode from 'vscode';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { ServiceError } from '../../../protocol/errors';
import type { MergedWork, MergeForecast } from '../../../protocol/localService';
import type { App } from '../../app';
import { readJobName } from '../../platform/commandArguments';
import { toLabel, toNotice, toPickLabel, toQuestion } from '../../platform/sanitize';
import { getDetail, getLabel, isAvailable, runAction } from '../../presentation/jobActions';
import { jobTitle } from '../../presentation/jobText';
import { serviceText } from '../../presentation/serviceText';
import { publishText } from '../../presentation/surroundings';
import { runRequest, showOutcome, showRefusal } from './localServiceCommands';
import { askToResolve } from './updateJob';

/** What can become of an ended local job and its work, with an icon. */
const ENDINGS = [
  ['mergeJob', 'git-merge'],
  ['reopenJob', 'git-pull-request'],
  ['applyChanges', 'diff'],
  ['closeJob', 'git-pull-request-closed'],
  ['openPullRequest', 'link-external'],
  ['archiveJob', 'archive'],
] as const;

/** Lets the user choose what becomes of an ended local job and its work. */
export async function finishJob({ picker, describer }: App, argument: unknown): Promise<void> {
  const job = await picker.choose(readJobName(argument), 'finishJob');
  if (job === undefined) {
    return;
  }
  const context = describer.contextOf(job);
  const rows = ENDINGS.filter(([name]) => isAvailable(name, job, context)).map(([name, icon]) => ({
    label: `$(${icon}) ${getLabel(name, job)}`,
    detail: getDetail(name, job, context),
    name,
  }));
  const about = { title: toPickLabel(jobTitle(job)), placeHolder: vscode.l10n.t('Select an action') };
  const chosen = await vscode.window.showQuickPick(rows, about);
  await (chosen && runAction(chosen.name, job));
}

/** What has changed since the preview if a merge is refused with one of these codes. The user is asked again. */
const OUTDATED: readonly string[] = ['branchChanged', 'newerChanges'];

/** Merges a local job's work into the user's branch, after asking once. */
export async function mergeJob(options: App, argument: unknown): Promise<void> {
  const job = await options.picker.choose(readJobName(argument), 'mergeJob');
  if (job === undefined) {
    return;
  }
  let merged: MergedWork | 'outdated' | undefined = 'outdated';
  while (merged === 'outdated') {
    const shown = await previewed(options, job);
    merged = shown && (await confirmMerge(options, job, shown)) ? await tryMerge(options, job, shown) : undefined;
  }
  if (merged !== undefined) {
    await showOutcome(options, job);
    await showMerged(options, job, merged);
  }
}

/** Closes the review of a local job without merging its work, or opens a closed one again. */
export async function decideReview(options: App, decision: 'close' | 'reopen', argument: unknown): Promise<void> {
  const job = await options.picker.choose(readJobName(argument), `${decision}Job`);
  if (job !== undefined && (await runRequest(() => options.localAccess.decide(job.location, idOf(job), decision)))) {
    await showOutcome(options, job);
  }
}

/** Takes merged work back out of the user's branch. The service refuses if that has changed since. */
export async function undoMerge(options: App, argument: unknown): Promise<void> {
  const job = await options.picker.choose(readJobName(argument), 'undoMerge');
  const undone = job && (await runRequest(() => options.localAccess.undoMerge(job.location, idOf(job))));
  if (job === undefined || undone === undefined) {
    return;
  }
  const { branch } = undone.answer;
  await showOutcome(options, job);
  const title = toLabel(jobTitle(job), 80);
  const text =
    branch === null
      ? vscode.l10n.t(
          'No branch contains the merge of “{0}”, so there was no commit to remove. The job was reopened.',
          title,
        )
      : vscode.l10n.t('Merge into “{1}” undone: {0}', title, toLabel(branch, 80));
  void vscode.window.showInformationMessage(toNotice(text, 400));
}

const idOf = ({ snapshot }: TrackedJob): string => snapshot?.id ?? '';

/** Returns undefined if the work can't be merged now (the user is notified). */
async function previewed(options: App, job: TrackedJob): Promise<MergeForecast | undefined> {
  const preview = (await runRequest(() => options.localAccess.mergePreview(job.location, idOf(job))))?.answer;
  if (preview?.into !== '') {
    return preview;
  }
  const { code, params } = preview.coded ?? {};
  if (code === 'conflictsWithBase' && typeof params?.['base'] === 'string') {
    void offerToResolve(options, job, serviceText(preview.coded, ''), params['base']);
  } else {
    showRefusal(preview.coded, preview.text);
  }
  return undefined;
}

async function offerToResolve(options: App, job: TrackedJob, text: string, base: string): Promise<void> {
  const ask = vscode.l10n.t('Ask the Agent to Resolve…');
  if ((await vscode.window.showWarningMessage(toNotice(toLabel(text, 300), 400), ask)) === ask) {
    await askToResolve(options, job, base);
  }
}

async function confirmMerge(
  { localAccess, openComments, log }: App,
  job: TrackedJob,
  { into, coded, text, deletes }: MergeForecast,
): Promise<boolean> {
  const changes = await localAccess.changes(job.location, idOf(job)).catch(() => undefined);
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
    deletes === null
      ? undefined
      : vscode.l10n.t(
          'Branch “{0}” is deleted afterward. “Undo Merge” undoes the merge and restores the branch.',
          toQuestion(deletes, 100),
        );
  const told = [files, toQuestion(serviceText(coded, text), 400), branch, comments];
  const detail = told.filter((line) => line !== undefined).join('\n\n');
  const merge = vscode.l10n.t('Merge');
  const question = vscode.l10n.t(
    'Accept “{0}” and merge it into “{1}”?',
    toQuestion(jobTitle(job), 80),
    toQuestion(into, 80),
  );
  return (await vscode.window.showWarningMessage(toQuestion(question, 300), { modal: true, detail }, merge)) === merge;
}

/** Returns undefined if the service refused (the user is notified). */
async function tryMerge(
  { localAccess }: App,
  job: TrackedJob,
  { commit, into, head }: MergeForecast,
): Promise<MergedWork | 'outdated' | undefined> {
  const merged = await runRequest(() =>
    localAccess.merge(job.location, idOf(job), { commit, into, head }).catch((error: unknown) => {
      if (error instanceof ServiceError && OUTDATED.includes(error.coded?.code ?? '')) {
        return 'outdated' as const;
      }
      throw error;
    }),
  );
  return merged?.answer;
}

async function showMerged(options: App, job: TrackedJob, { branch }: MergedWork): Promise<void> {
  const place = toLabel(branch, 80);
  const text = vscode.l10n.t('Accepted “{0}”: merged into “{1}”.', toLabel(jobTitle(job), 80), place);
  const undo = vscode.l10n.t('Undo Merge');
  if ((await vscode.window.showInformationMessage(toNotice(`${text} ${publishText(place)}`, 500), undo)) === undo) {
    await undoMerge(options, { jobKey: job.key });
  }
}
