import * as vscode from 'vscode';
import { markSeen } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';
import type { App } from '../../app';
import { readJobName } from '../../platform/commandArguments';
import { getLabel, runAction } from '../../presentation/jobActions';
import { filesText, jobTitle } from '../../presentation/jobText';
import { baseName, conflictsText, hasConflicts } from '../../presentation/surroundings';
import { toQuestion } from '../../platform/sanitize';
import { followUpDraft } from '../../sending/drafts';
import { refreshJob, runRequest } from './localServiceCommands';

/** Brings the new commits of the base branch into a job's work. Conflicts are left to the agent, in a follow-up. */
export async function updateJob(options: App, argument: unknown): Promise<void> {
  const job = await options.picker.choose(readJobName(argument), 'updateJob');
  const { surroundings } = job?.snapshot ?? {};
  if (job === undefined) {
    return;
  }
  if (!hasConflicts(surroundings)) {
    const update = (): Promise<void> => options.localAccess.update(job.location, job.snapshot?.id ?? '');
    const progress = { location: vscode.ProgressLocation.Window, title: getLabel('updateJob', job) };
    await vscode.window.withProgress(progress, () => change(options, job, update));
    return;
  }
  await askToResolve(options, job, `${baseName(surroundings)} in ${conflictsText(surroundings)}`);
}

/**
 * Offers a follow-up in which the agent resolves conflicts. What was typed there stays.
 *
 * @param what with which branch and, if known, in which files
 */
export async function askToResolve({ drafts }: App, job: TrackedJob, what: string): Promise<void> {
  const draft = followUpDraft(job.key);
  const typed = (await drafts.open(draft)) ?? '';
  const request = `Resolve the conflicts with ${what}.`;
  if (!typed.includes(request)) {
    drafts.type(draft, typed.trim() === '' ? request : `${request}\n\n${typed}`);
  }
  await runAction('sendFollowUp', job);
}

/** Commits what the last run of a local job has left to the job's branch. */
export async function keepWork(options: App, argument: unknown): Promise<void> {
  const job = await options.picker.choose(readJobName(argument), 'keepWork');
  if (job !== undefined) {
    await decide(options, job, 'keep');
  }
}

/** Deletes what the last run of a local job has left, after asking once. */
export async function discardWork(options: App, argument: unknown): Promise<void> {
  const job = await options.picker.choose(readJobName(argument), 'discardWork');
  if (job === undefined) {
    return;
  }
  const discard = vscode.l10n.t('Discard');
  const text = vscode.l10n.t('Discard the changes that aren’t in a branch?');
  const count = filesText(job.snapshot?.surroundings?.unsaved ?? { files: 0 });
  const detail = vscode.l10n.t('{0} of “{1}”. You can’t undo this.', count, toQuestion(jobTitle(job), 80));
  if ((await vscode.window.showWarningMessage(text, { modal: true, detail }, discard)) === discard) {
    await decide(options, job, 'discard');
  }
}

function decide(options: App, job: TrackedJob, decision: 'keep' | 'discard'): Promise<void> {
  return change(options, job, () => options.localAccess.decideUnsaved(job.location, job.snapshot?.id ?? '', decision));
}

/** Runs a request and shows what the job has become. A refusal, too, says that something has changed. */
async function change(options: App, job: TrackedJob, request: () => Promise<void>): Promise<void> {
  const isDone = await runRequest(request);
  await refreshJob(options, job).catch((error: unknown) => {
    if (isDone) {
      throw error;
    }
  });
  await (isDone && markSeen(options.store, job));
}
