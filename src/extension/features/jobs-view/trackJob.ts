import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { toSnapshot } from '../../../jobs/snapshot';
import { pendingCreate, type TrackedJob } from '../../../jobs/trackedJob';
import { isPathSafeId } from '../../../protocol/status';
import type { App } from '../../app';
import { namedText, reader } from '../../platform/commandArguments';
import { looksLikeJobLink, parseJobLink } from '../../platform/jobLink';
import { offer } from '../../platform/offer';
import { isPullRequestOf, looksLikePullRequest } from '../../platform/pullRequestLink';
import { toLabel } from '../../platform/sanitize';
import { jobTitle } from '../../presentation/jobText';
import { settings } from '../../settings';
import { addExistingJob, lookUp, restoreIfRemoved } from './addExistingJob';
import { followLink, showUnusableLink } from './jobLinkHandler';

/** The row of a job, which carries its key. */
const readRow = reader(z.object({ jobKey: namedText }));
/** The job to track, or a link to it or to its pull request. */
const readTracked = reader(
  z.object({ jobId: z.optional(namedText), project: z.optional(namedText), link: z.optional(namedText) }),
);

/**
 * Adds a job that was created elsewhere to the list: by its ID, by its pull request if that is known, or by a link. On
 * the row of a prompt that got no answer, asks for the ID of the job that the prompt created.
 */
export async function trackJob(options: App, argument: unknown): Promise<TrackedJob | undefined> {
  const row = readRow(argument);
  if (row !== undefined) {
    return enterJobId(options, row.jobKey);
  }
  const given = readTracked(argument);
  if (given?.jobId !== undefined) {
    return trackById(options, given.jobId, given.project);
  }
  const asked = given?.link ?? (await askForJob());
  if (asked === undefined) {
    return undefined;
  }
  if (looksLikeJobLink(asked)) {
    const link = parseJobLink(asked);
    if (link === undefined) {
      await showUnusableLink();
      return undefined;
    }
    return followLink(options, link);
  }
  const job = looksLikePullRequest(asked) ? await trackByPullRequest(options, asked) : await trackById(options, asked);
  if (job !== undefined) {
    await options.view.show(job.key);
  }
  return job;
}

async function trackById(options: App, id: string, project?: string): Promise<TrackedJob | undefined> {
  const location = await options.projects.choose(project);
  return location === undefined
    ? undefined
    : addExistingJob(options, location, id, () => lookUp(options, location, id));
}

async function trackByPullRequest(options: App, link: string): Promise<TrackedJob | undefined> {
  const { store, projects, localAccess } = options;
  const known = store.jobs.find(({ snapshot }) => isPullRequestOf(snapshot?.prLink, link));
  if (known !== undefined) {
    return restoreIfRemoved(store, known);
  }
  if (!settings.usesLocalService()) {
    void showUnknownJob(vscode.l10n.t('No tracked job has this pull request. Enter the job ID instead.'));
    return undefined;
  }
  const location = await projects.choose();
  if (location === undefined) {
    return undefined;
  }
  const found = await localAccess.findJob(location, ({ prLink }) => isPullRequestOf(prLink, link));
  if (found === undefined) {
    void showUnknownJob(vscode.l10n.t('No tracked or local job has this pull request. Enter the job ID instead.'));
    return undefined;
  }
  return addExistingJob(options, location, found.id, () => Promise.resolve(toSnapshot(found)));
}

async function showUnknownJob(text: string): Promise<void> {
  await offer(text, vscode.l10n.t('Track Existing Job…'), 'docsAgent.trackJob');
}

async function askForJob(): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Track an existing job'),
    prompt: vscode.l10n.t('Enter a job ID, a pull request URL, or a job link.'),
    ignoreFocusOut: true,
    validateInput: (value) => trackProblem(value.trim()),
  });
  return typed?.trim();
}

function trackProblem(text: string): string | undefined {
  if (looksLikeJobLink(text) && parseJobLink(text) === undefined) {
    return vscode.l10n.t('This link is incomplete. Copy it again.');
  }
  return looksLikeJobLink(text) || isPathSafeId(text) ? undefined : vscode.l10n.t('Enter a job ID or a link.');
}

/** Asks for a job's ID at its service; undefined when cancelled. */
async function askForJobId(title: string): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('Job ID from the service'),
    ignoreFocusOut: true,
    validateInput: (value) => (isPathSafeId(value.trim()) ? undefined : vscode.l10n.t('Enter a job ID.')),
  });
  return typed?.trim();
}

/** Resolves a prompt that got no answer, by the ID of the job that it created. */
async function enterJobId(options: App, key: string): Promise<TrackedJob | undefined> {
  const { store, picker } = options;
  const row = await picker.choose(key, 'trackJob');
  const prompt = row === undefined ? undefined : pendingCreate(row);
  if (row === undefined || prompt?.state !== 'unconfirmed') {
    return undefined;
  }
  const jobId = await askForJobId(vscode.l10n.t('Job ID for “{0}”', toLabel(jobTitle(row), 50)));
  if (jobId === undefined) {
    return undefined;
  }
  const known = store.jobs.find((job) => job.snapshot?.id === jobId && job.location.service === row.location.service);
  if (known !== undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('This job is already in the list, so the unconfirmed prompt was removed.'),
    );
    const found = known.untracked ? await store.append(known.key, { type: 'restored', at: Date.now() }) : known;
    await store.append(row.key, { type: 'discarded', at: Date.now(), promptId: prompt.id });
    return found;
  }
  const job = await lookUp(options, row.location, jobId);
  return job === undefined
    ? undefined
    : store.append(row.key, { type: 'created', at: Date.now(), promptId: prompt.id, job, location: row.location });
}
