import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { isListed, type TrackedJob } from '../../../jobs/trackedJob';
import type { App } from '../../app';
import { reader, readJobName, readJobNames } from '../../platform/commandArguments';
import { formatJobLink } from '../../platform/jobLink';
import { copiedLink, localReview } from '../../platform/pullRequestLink';
import { toLabel, toNotice, toPickLabel, toQuestion } from '../../platform/sanitize';
import { jobTitle } from '../../presentation/jobText';
import { openPullRequest } from '../../presentation/openPullRequest';
import { isRemoved } from './jobList';
import type { JobNode } from './jobsTree';
import { rowBeside } from './jobsView';

const hasLink = (job: TrackedJob): boolean => job.snapshot?.prLink != null;

export async function openJobPullRequest(options: App, argument: unknown): Promise<void> {
  for (const job of await options.picker.chooseSome(readJobNames(argument), 'openPullRequest', { fits: hasLink })) {
    if (await openPullRequest(options, job)) {
      options.milestones.record('pullRequestOpened');
    }
  }
}

export async function copyPullRequestLink({ picker }: App, argument: unknown): Promise<void> {
  const job = await picker.choose(readJobName(argument), 'copyPullRequestLink', { fits: hasLink });
  await copy(copiedLink(job?.snapshot?.prLink), vscode.l10n.t('Link copied'));
}

export async function copyJobId({ picker }: App, argument: unknown): Promise<void> {
  const job = await picker.choose(readJobName(argument), 'copyJobId');
  await copy(job?.snapshot?.id, vscode.l10n.t('Job ID copied'));
}

/** Removes jobs from the list; the service keeps working on them. */
export async function untrackJob({ store, picker, outbox }: App, argument: unknown): Promise<void> {
  const jobs = await picker.chooseSome(readJobNames(argument), 'untrackJob', { fits: isListed });
  const gone: TrackedJob[] = [];
  for (const job of jobs) {
    if (await confirmDiscardWaiting({ store, outbox }, job)) {
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

/** Removes the selected jobs and findings, and discards the selected prompts that were not sent. Other rows stay. */
export async function removeRows(options: App, rows: readonly JobNode[]): Promise<void> {
  // First, because the list forgets where a removed row was.
  const goes = rows.filter(({ kind }) => kind !== 'section');
  await options.view.focus(rowBeside(options.tree, goes));
  const jobs = rows.filter((row) => row.kind === 'job' && row.promptId === undefined);
  const removed = new Set(readJobNames(jobs));
  if (jobs.length > 0) {
    await untrackJob(options, jobs);
  }
  const findings = rows.filter(({ kind }) => kind === 'finding');
  await (findings.length > 0 && vscode.commands.executeCommand('docsAgent.dismissFindings', findings));
  for (const row of rows) {
    // A follow-up is removed with its job.
    if ('promptId' in row && row.promptId !== undefined && !removed.has(row.jobKey)) {
      await vscode.commands.executeCommand('docsAgent.discardPrompt', row);
    }
  }
}

/**
 * Waiting prompts of a removed job would be invisible, or be sent weeks later when the job is restored. So the user
 * must discard them; otherwise the job stays in the list. Returns true if nothing is waiting anymore.
 */
async function confirmDiscardWaiting(
  { store, outbox }: Pick<App, 'store' | 'outbox'>,
  job: TrackedJob,
): Promise<boolean> {
  const waiting = job.prompts.filter(({ state }) => state === 'waiting');
  if (waiting.length === 0) {
    return true;
  }
  const text = vscode.l10n.t('Remove this job and discard its unsent follow-ups?');
  const detail = waiting.map((prompt) => toQuestion(prompt.text, 200)).join('\n');
  const discard = vscode.l10n.t('Discard and Remove');
  if ((await vscode.window.showWarningMessage(text, { modal: true, detail }, discard)) !== discard) {
    return false;
  }
  await Promise.all(waiting.map((prompt) => outbox.discard(job, prompt)));
  const ids = new Set(waiting.map(({ id }) => id));
  if (store.get(job.key)?.prompts.some(({ id, state }) => ids.has(id) && state !== 'discarded') === true) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'A follow-up is already being sent, so the job stays in the list. Remove the job after the service has responded.',
      ),
    );
    return false;
  }
  return true;
}

async function copy(text: string | null | undefined, message: string): Promise<void> {
  if (text != null) {
    await vscode.env.clipboard.writeText(text);
    vscode.window.setStatusBarMessage(message, 3000);
  }
}

/** Sets the user's own name for a job, in this list only. */
export async function renameJob({ store, picker }: App, argument: unknown): Promise<void> {
  const [name] = readJobNames(argument);
  const job = await picker.choose(name, 'renameJob');
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

/** Renames the first selected job; the rows of sections and of follow-ups have no name of their own. */
export async function renameRow(options: App, rows: readonly JobNode[]): Promise<void> {
  const job = rows.find(({ kind }) => kind === 'job');
  await (job && renameJob(options, job));
}

/** Restores removed jobs to the list. */
export async function restoreJob({ store, picker }: App, argument: unknown): Promise<void> {
  const names = readJobNames(argument);
  const jobs = await picker.chooseSome(names, 'restoreJob', { fits: isRemoved });
  await Promise.all(jobs.map(({ key }) => store.append(key, { type: 'restored', at: Date.now() })));
}

const COPY_FORMATS = ['jobLink', 'pullRequestLink', 'markdown', 'jobId'] as const;
const readFormat = reader(z.object({ as: z.enum(COPY_FORMATS) }));

interface CopyWay {
  as: (typeof COPY_FORMATS)[number];
  label: string;
  /** Null for a job that has nothing to copy in this format. */
  text: (job: TrackedJob) => string | null;
}

/** @param isOffered the user picks one. The link to a page of the local service is of no use to anyone else. */
function copyWays(isOffered: boolean): CopyWay[] {
  const prLink = (job: TrackedJob): string | null =>
    isOffered && localReview(job) !== undefined ? null : copiedLink(job.snapshot?.prLink);
  const asMarkdown = (job: TrackedJob, link: string | null): string | null =>
    link === null ? null : markdownLink(toLabel(jobTitle(job)), link);
  return [
    { as: 'jobLink', label: vscode.l10n.t('Job link'), text: jobLink },
    { as: 'pullRequestLink', label: vscode.l10n.t('Pull request link'), text: prLink },
    {
      as: 'markdown',
      label: vscode.l10n.t('Pull request link as Markdown'),
      text: (job) => asMarkdown(job, prLink(job)),
    },
    { as: 'jobId', label: vscode.l10n.t('Job ID'), text: ({ snapshot }) => snapshot?.id ?? null },
  ];
}

/** A link that opens the job in another window, or for other people with access to it. */
function jobLink({ location, snapshot }: TrackedJob): string | null {
  const { service, projectId: project } = location;
  return snapshot === undefined ? null : formatJobLink(vscode.env.uriScheme, { service, project, id: snapshot.id });
}

/**
 * Copies jobs in the format that the argument names, otherwise in one that the user picks; several jobs are copied as a
 * list.
 */
export async function copyAs({ picker }: App, argument: unknown): Promise<void> {
  const format = readFormat(argument)?.as;
  const jobs = await picker.chooseSome(readJobNames(argument), 'copyAs');
  const items = copyWays(format === undefined).flatMap(({ as, label, text }) => {
    const lines = jobs.map((job) => text(job)).filter((line) => line !== null);
    const all = as === 'markdown' && lines.length > 1 ? lines.map((line) => `- ${line}`) : lines;
    return lines.length === 0 ? [] : [{ as, label, detail: toPickLabel(lines[0] ?? ''), lines: all }];
  });
  if (jobs.length === 0) {
    return;
  }
  const title = vscode.l10n.t('Copy as');
  const chosen =
    format === undefined ? await vscode.window.showQuickPick(items, { title }) : items.find(({ as }) => as === format);
  if (chosen !== undefined) {
    const { lines } = chosen;
    const message = lines.length === 1 ? vscode.l10n.t('Copied') : vscode.l10n.t('{0} lines copied', lines.length);
    await copy(lines.join('\n'), message);
  }
}

/** Characters that are markup in a link text or would end it (CommonMark 0.31, sections 2.4 and 6). */
const MARKUP = /[\\`*_[\]<>~|&!$]/g;

/** Formats a Markdown link. The title is shown literally; nothing in it acts as markup. */
export function markdownLink(title: string, address: string): string {
  const text = title.replace(/\s+/g, ' ').trim().replace(MARKUP, '\\$&');
  const target = address
    .replace(/[<>\s\\]+/g, encodeURIComponent)
    .replaceAll('(', '%28')
    .replaceAll(')', '%29');
  return `[${text}](${target})`;
}
