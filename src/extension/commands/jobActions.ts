import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import type { Outbox } from '../../jobs/outbox';
import { type TrackedJob, isListed } from '../../jobs/trackedJob';
import type { JobPicker } from '../jobPicker';
import type { Milestones } from '../milestones';
import { type OpenOptions, openPullRequest } from '../pullRequest';
import { markdownLink } from '../review/markdownLink';
import { toLabel, toNotice, toQuestion } from '../text';
import { jobTitle } from '../presentation/jobText';
import { readJobName, readJobNames } from './arguments';

export interface JobActionOptions {
  store: JobStore;
  picker: JobPicker;
}

const hasLink = (job: TrackedJob): boolean => job.snapshot?.prLink != null;
const hasId = (job: TrackedJob): boolean => job.snapshot !== undefined;

export async function openJobPullRequest(
  options: JobActionOptions & OpenOptions & { milestones: Milestones },
  argument: unknown,
): Promise<void> {
  for (const job of await options.picker.chooseSome(
    readJobNames(argument),
    vscode.l10n.t('Open which pull request?'),
    hasLink,
  )) {
    if (await openPullRequest(options, job)) {
      options.milestones.reach('pullRequestOpened');
    }
  }
}

export async function copyPullRequestLink({ picker }: JobActionOptions, argument: unknown): Promise<void> {
  const job = await picker.choose(
    readJobName(argument),
    vscode.l10n.t('Copy the link of which pull request?'),
    hasLink,
  );
  await copy(job?.snapshot?.prLink, vscode.l10n.t('Link copied'));
}

/** One link, or a list of them where several rows are selected. */
export async function copyPullRequestMarkdown({ picker }: JobActionOptions, argument: unknown): Promise<void> {
  const jobs = await picker.chooseSome(
    readJobNames(argument),
    vscode.l10n.t('Copy the link of which pull request?'),
    hasLink,
  );
  const links = jobs.map((job) => markdownLink(toLabel(jobTitle(job)), job.snapshot?.prLink ?? ''));
  const text = links.length > 1 ? links.map((link) => `- ${link}`).join('\n') : links[0];
  await copy(text, vscode.l10n.t('Link copied as Markdown'));
}

export async function copyJobId({ picker }: JobActionOptions, argument: unknown): Promise<void> {
  const job = await picker.choose(readJobName(argument), vscode.l10n.t('Copy the ID of which job?'), hasId);
  await copy(job?.snapshot?.id, vscode.l10n.t('Job ID copied'));
}

/** Takes jobs off the list; the service goes on with them all the same. */
export async function untrackJob(
  { store, picker, outbox }: JobActionOptions & { outbox: Outbox },
  argument: unknown,
): Promise<void> {
  const jobs = await picker.chooseSome(
    readJobNames(argument),
    vscode.l10n.t('Remove which job from the list?'),
    isListed,
  );
  const gone: TrackedJob[] = [];
  for (const job of jobs) {
    if (await givesUpWaiting(outbox, job)) {
      await store.append(job.key, { type: 'untracked', at: Date.now() });
      gone.push(job);
    }
  }
  const [first] = gone;
  if (first === undefined) {
    return;
  }
  const undo = vscode.l10n.t('Undo');
  const text =
    gone.length === 1
      ? vscode.l10n.t('Removed from the list: {0}', toNotice(jobTitle(first), 80))
      : vscode.l10n.t('Removed from the list: {0} jobs', gone.length);
  if ((await vscode.window.showInformationMessage(text, undo)) === undo) {
    await Promise.all(gone.map(({ key }) => store.append(key, { type: 'restored', at: Date.now() })));
  }
}

/** What waits to be sent would go unseen, or weeks later when the job comes back: it is given up, or the job stays. */
async function givesUpWaiting(outbox: Outbox, job: TrackedJob): Promise<boolean> {
  const waiting = job.sends.filter(({ state }) => state === 'waiting');
  if (waiting.length === 0) {
    return true;
  }
  const text = vscode.l10n.t('Remove the job and discard what waits to be sent to it?');
  const detail = waiting.map((send) => toQuestion(send.prompt, 200)).join('\n');
  const discard = vscode.l10n.t('Discard and remove');
  if ((await vscode.window.showWarningMessage(text, { modal: true, detail }, discard)) !== discard) {
    return false;
  }
  await Promise.all(waiting.map((send) => outbox.discard(job, send)));
  return true;
}

async function copy(text: string | null | undefined, told: string): Promise<void> {
  if (text != null) {
    await vscode.env.clipboard.writeText(text);
    vscode.window.setStatusBarMessage(told, 3000);
  }
}
