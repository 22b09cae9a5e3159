import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import { type TrackedJob, isListed } from '../../jobs/trackedJob';
import type { JobPicker } from '../jobPicker';
import { openPullRequest } from '../pullRequest';
import { toNotice } from '../text';
import { jobTitle } from '../views/jobWords';
import { readJobName } from './arguments';

const { t } = vscode.l10n;

export interface JobActionOptions {
  store: JobStore;
  picker: JobPicker;
}

const hasLink = (job: TrackedJob): boolean => job.snapshot?.prLink != null;
const hasId = (job: TrackedJob): boolean => job.snapshot !== undefined;

export async function openJobPullRequest({ store, picker }: JobActionOptions, argument: unknown): Promise<void> {
  const job = await picker.choose(readJobName(argument), t('Open which pull request?'), hasLink);
  if (job !== undefined) {
    await openPullRequest(store, job);
  }
}

export async function copyPullRequestLink({ picker }: JobActionOptions, argument: unknown): Promise<void> {
  const job = await picker.choose(readJobName(argument), t('Copy the link of which pull request?'), hasLink);
  await copy(job?.snapshot?.prLink, t('Link copied'));
}

export async function copyJobId({ picker }: JobActionOptions, argument: unknown): Promise<void> {
  const job = await picker.choose(readJobName(argument), t('Copy the ID of which job?'), hasId);
  await copy(job?.snapshot?.id, t('Job ID copied'));
}

/** Takes a job off the list; the service goes on with it all the same. */
export async function untrackJob({ store, picker }: JobActionOptions, argument: unknown): Promise<void> {
  const job = await picker.choose(readJobName(argument), t('Remove which job from the list?'), isListed);
  if (job === undefined) {
    return;
  }
  await store.append(job.key, { type: 'untracked', at: Date.now() });
  const undo = t('Undo');
  const text = t('Removed from the list: {0}', toNotice(jobTitle(job), 80));
  if ((await vscode.window.showInformationMessage(text, undo)) === undo) {
    await store.append(job.key, { type: 'restored', at: Date.now() });
  }
}

async function copy(text: string | null | undefined, told: string): Promise<void> {
  if (text != null) {
    await vscode.env.clipboard.writeText(text);
    vscode.window.setStatusBarMessage(told, 3000);
  }
}
