import * as vscode from 'vscode';
import type { JobStore } from '../../../jobs/jobStore';
import type { Outbox } from '../../../jobs/outbox';
import { isListed, type TrackedJob } from '../../../jobs/trackedJob';
import { readJobName, readJobNames } from '../../platform/commandArguments';
import { formatJobLink } from '../../platform/jobLink';
import type { Milestones } from '../../platform/milestones';
import { toLabel, toNotice, toQuestion } from '../../platform/sanitize';
import type { JobPicker } from '../../presentation/jobPicker';
import { jobTitle } from '../../presentation/jobText';
import { type OpenOptions, openPullRequest } from '../../presentation/openPullRequest';
import { isRemoved } from './jobList';

export interface JobActionOptions {
  store: JobStore;
  picker: JobPicker;
}

const hasLink = (job: TrackedJob): boolean => job.snapshot?.prLink != null;
const hasId = (job: TrackedJob): boolean => job.snapshot !== undefined;

export type OpenJobPullRequestOptions = JobActionOptions & OpenOptions & { milestones: Milestones };

export async function openJobPullRequest(options: OpenJobPullRequestOptions, argument: unknown): Promise<void> {
  for (const job of await options.picker.chooseSome(
    readJobNames(argument),
    vscode.l10n.t('Select a pull request to open'),
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
    vscode.l10n.t('Select a pull request to copy its link'),
    hasLink,
  );
  await copy(job?.snapshot?.prLink, vscode.l10n.t('Link copied'));
}

/** Copies one link, or a list of them if several rows are selected. */
export async function copyPullRequestMarkdown({ picker }: JobActionOptions, argument: unknown): Promise<void> {
  const jobs = await picker.chooseSome(
    readJobNames(argument),
    vscode.l10n.t('Select a pull request to copy its link'),
    hasLink,
  );
  const links = jobs.map((job) => markdownLink(toLabel(jobTitle(job)), job.snapshot?.prLink ?? ''));
  const text = links.length > 1 ? links.map((link) => `- ${link}`).join('\n') : links[0];
  await copy(text, vscode.l10n.t('Link copied as Markdown'));
}

export async function copyJobId({ picker }: JobActionOptions, argument: unknown): Promise<void> {
  const job = await picker.choose(readJobName(argument), vscode.l10n.t('Select a job to copy its ID'), hasId);
  await copy(job?.snapshot?.id, vscode.l10n.t('Job ID copied'));
}

export type UntrackJobOptions = JobActionOptions & { outbox: Outbox };

/** Removes jobs from the list; the service keeps working on them. */
export async function untrackJob({ store, picker, outbox }: UntrackJobOptions, argument: unknown): Promise<void> {
  const jobs = await picker.chooseSome(readJobNames(argument), vscode.l10n.t('Select a job to remove'), isListed);
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

/**
 * Waiting prompts of a removed job would be invisible, or be sent weeks later when the job is restored. So the user
 * must discard them; otherwise the job stays in the list. Returns true if nothing waits any more.
 */
async function givesUpWaiting(outbox: Outbox, job: TrackedJob): Promise<boolean> {
  const waiting = job.sends.filter(({ state }) => state === 'waiting');
  if (waiting.length === 0) {
    return true;
  }
  const text = vscode.l10n.t('Remove this job and discard its unsent follow-ups?');
  const detail = waiting.map((send) => toQuestion(send.prompt, 200)).join('\n');
  const discard = vscode.l10n.t('Discard and Remove');
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

/** Pins jobs to the top of the list; unpins them if all of them are pinned. */
export async function togglePin({ store, picker }: JobActionOptions, argument: unknown): Promise<void> {
  const title = vscode.l10n.t('Select a job to pin or unpin');
  const jobs = await picker.chooseSome(readJobNames(argument), title, isListed);
  const type = jobs.every((job) => job.pinned) ? 'unpinned' : 'pinned';
  const changed = jobs.filter(({ pinned }) => pinned === (type === 'unpinned'));
  await Promise.all(changed.map(({ key }) => store.append(key, { type, at: Date.now() })));
}

/** Sets the user's own name for a job, in this list only. */
export async function renameJob({ store, picker }: JobActionOptions, argument: unknown): Promise<void> {
  const job = await picker.choose(readJobName(argument), vscode.l10n.t('Select a job to rename'), isListed);
  if (job === undefined) {
    return;
  }
  const before = jobTitle(job);
  const title = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename “{0}”', toLabel(before, 50)),
    prompt: vscode.l10n.t('Leave empty to use the prompt.'),
    value: before,
  });
  if (title !== undefined && title.trim() !== before) {
    await store.append(job.key, { type: 'renamed', at: Date.now(), title: title.trim() });
  }
}

/** Restores removed jobs to the list. */
export async function restoreJob({ store, picker }: JobActionOptions, argument: unknown): Promise<void> {
  const names = readJobNames(argument);
  const jobs = await picker.chooseSome(names, vscode.l10n.t('Select a job to restore'), isRemoved, 'removed');
  await Promise.all(jobs.map(({ key }) => store.append(key, { type: 'restored', at: Date.now() })));
}

/** Copies links that open the jobs in another window, or for other people with access to them; one per line. */
export async function copyJobLink({ picker }: { picker: JobPicker }, argument: unknown): Promise<void> {
  const title = vscode.l10n.t('Select a job to copy its link');
  const jobs = await picker.chooseSome(readJobNames(argument), title, ({ snapshot }) => snapshot !== undefined);
  const links = jobs.flatMap(({ home, snapshot }) =>
    snapshot === undefined
      ? []
      : [formatJobLink(vscode.env.uriScheme, { service: home.service, project: home.projectId, id: snapshot.id })],
  );
  if (links.length > 0) {
    await vscode.env.clipboard.writeText(links.join('\n'));
    vscode.window.setStatusBarMessage(
      links.length === 1 ? vscode.l10n.t('Link copied') : vscode.l10n.t('{0} links copied', links.length),
      3000,
    );
  }
}

/** Characters that are markup in a link text or would end it (CommonMark 0.31, sections 2.4 and 6). */
const MARKUP = /[\\`*_[\]<>~|&!$]+/g;

/** Formats a Markdown link. The title is shown literally; nothing in it acts as markup. */
export function markdownLink(title: string, address: string): string {
  const text = title
    .replace(/\s+/g, ' ')
    .trim()
    .replace(MARKUP, (run) => `\\${Array.from(run).join('\\')}`);
  const target = address.replace(
    /[()<>\s\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return `[${text}](${target})`;
}
