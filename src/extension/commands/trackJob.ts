import * as vscode from 'vscode';
import { toSnapshot } from '../../jobs/snapshot';
import type { TrackedJob } from '../../jobs/trackedJob';
import { isPathSafeId } from '../../shared/protocol/pathSafeId';
import { looksLikeJobLink, parseJobLink } from '../links/jobLink';
import { isPullRequestOf, looksLikePullRequest } from '../links/pullRequestOf';
import { settings } from '../settings';
import { readTrack } from './arguments';
import { type TrackJobOptions, addFound, listAgain, lookUp } from './lookUpJob';
import { followLink, tellUnusable } from './openJobLink';

/** Puts a job that was made elsewhere into the list: by its ID, by its pull request where that is known, or by a link. */
export async function trackJob(options: TrackJobOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const given = readTrack(argument);
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
      await tellUnusable();
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

async function trackById(options: TrackJobOptions, id: string, project?: string): Promise<TrackedJob | undefined> {
  const home = await options.projects.choose(project);
  return home === undefined ? undefined : addFound(options, home, id, () => lookUp(options, home, id));
}

async function trackByPullRequest(options: TrackJobOptions, link: string): Promise<TrackedJob | undefined> {
  const { store, projects, localAccess } = options;
  const known = store.jobs.find(({ snapshot }) => isPullRequestOf(snapshot?.prLink, link));
  if (known !== undefined) {
    return listAgain(store, known);
  }
  if (!settings.usesLocalService()) {
    void tellUnknown(
      vscode.l10n.t(
        'No job in the list has this pull request, and the service can’t be asked by it. Enter the ID of the job.',
      ),
    );
    return undefined;
  }
  const home = await projects.choose();
  if (home === undefined) {
    return undefined;
  }
  const found = await localAccess.findJob(home, ({ prLink }) => isPullRequestOf(prLink, link));
  if (found === undefined) {
    void tellUnknown(
      vscode.l10n.t(
        'Neither the list nor the local service has a job with this pull request. Enter the ID of the job.',
      ),
    );
    return undefined;
  }
  return addFound(options, home, found.id, () => Promise.resolve(toSnapshot(found)));
}

async function tellUnknown(text: string): Promise<void> {
  await vscode.window.showWarningMessage(text, vscode.l10n.t('OK'));
}

async function askForJob(): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Track a job'),
    prompt: vscode.l10n.t('The ID of the job, the link of its pull request, or a link that “Copy Job Link” made.'),
    ignoreFocusOut: true,
    validateInput: (value) => trackProblem(value.trim()),
  });
  return typed?.trim();
}

function trackProblem(text: string): string | undefined {
  if (looksLikeJobLink(text) && parseJobLink(text) === undefined) {
    return vscode.l10n.t('This link is cut off or was changed. Copy it again.');
  }
  return looksLikeJobLink(text) || isPathSafeId(text) ? undefined : vscode.l10n.t('Enter the ID of a job, or a link.');
}

/** Asks for the ID that a service gave to a job; undefined when cancelled. */
export async function askForJobId(title: string): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('The ID of the job, as the service gave it.'),
    ignoreFocusOut: true,
    validateInput: (value) => (isPathSafeId(value.trim()) ? undefined : vscode.l10n.t('Enter the ID of a job.')),
  });
  return typed?.trim();
}
