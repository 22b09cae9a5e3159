import * as vscode from 'vscode';
import { KeyedQueue } from '../../../base/async';
import { type ServiceLocation, LOCAL_SERVICE, type Snapshot } from '../../../jobs/events';
import type { JobStore } from '../../../jobs/jobStore';
import { toSnapshot } from '../../../jobs/snapshot';
import { pendingCreate, type TrackedJob } from '../../../jobs/trackedJob';
import { ServiceError } from '../../../protocol/errors';
import { isPathSafeId } from '../../../protocol/status';
import { COMMANDS } from '../../ids';
import type { ApiKeys } from '../../platform/apiKeys';
import { readRow, readTrack } from '../../platform/commandArguments';
import { looksLikeJobLink, parseJobLink } from '../../platform/jobLink';
import { replaceKey } from '../../platform/keyPrompt';
import type { LocalAccess } from '../../platform/localAccess';
import { isPullRequestOf, looksLikePullRequest } from '../../platform/pullRequestLink';
import { toLabel, toNotice } from '../../platform/sanitize';
import type { ServiceAccess } from '../../platform/serviceAccess';
import { reasonText } from '../../presentation/errorText';
import type { JobPicker } from '../../presentation/jobPicker';
import { jobTitle } from '../../presentation/jobText';
import type { Projects } from '../../sending/projects';
import { settings } from '../../settings';
import type { JobsView } from './jobsView';
import { followLink, showUnusableLink } from './jobLinkHandler';

/**
 * Adds a job that was created elsewhere to the list: by its ID, by its pull request if that is known, or by a link. On
 * the row of a prompt that got no answer, asks for the ID of the job that the prompt created.
 */
export async function trackJob(
  options: TrackJobOptions & EnterJobIdOptions,
  argument: unknown,
): Promise<TrackedJob | undefined> {
  const row = readRow(argument);
  if (row !== undefined) {
    return enterJobId(options, row);
  }
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

async function trackById(options: TrackJobOptions, id: string, project?: string): Promise<TrackedJob | undefined> {
  const home = await options.projects.choose(project);
  return home === undefined ? undefined : addFound(options, home, id, () => lookUp(options, home, id));
}

async function trackByPullRequest(options: TrackJobOptions, link: string): Promise<TrackedJob | undefined> {
  const { store, projects, localAccess } = options;
  const known = store.jobs.find(({ snapshot }) => isPullRequestOf(snapshot?.prLink, link));
  if (known !== undefined) {
    return restoreIfRemoved(store, known);
  }
  if (!settings.usesLocalService()) {
    void showUnknownJob(vscode.l10n.t('No tracked job has this pull request. Enter the job ID instead.'));
    return undefined;
  }
  const home = await projects.choose();
  if (home === undefined) {
    return undefined;
  }
  const found = await localAccess.findJob(home, ({ prLink }) => isPullRequestOf(prLink, link));
  if (found === undefined) {
    void showUnknownJob(vscode.l10n.t('No tracked or local job has this pull request. Enter the job ID instead.'));
    return undefined;
  }
  return addFound(options, home, found.id, () => Promise.resolve(toSnapshot(found)));
}

async function showUnknownJob(text: string): Promise<void> {
  const track = vscode.l10n.t('Track Existing Job…');
  if ((await vscode.window.showWarningMessage(text, track)) === track) {
    await vscode.commands.executeCommand(COMMANDS.trackJob);
  }
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

interface EnterJobIdOptions {
  store: JobStore;
  picker: JobPicker;
  access: ServiceAccess;
  keys: ApiKeys;
}

const mayExist = (job: TrackedJob): boolean => pendingCreate(job)?.state === 'unconfirmed';

/** Resolves a prompt that got no answer, by the ID of the job that it created. */
async function enterJobId(options: EnterJobIdOptions, key: string): Promise<TrackedJob | undefined> {
  const { store, picker } = options;
  const row = await picker.choose(key, 'findUnconfirmed', mayExist);
  const send = row === undefined ? undefined : pendingCreate(row);
  if (row === undefined || send?.state !== 'unconfirmed') {
    return undefined;
  }
  const jobId = await askForJobId(vscode.l10n.t('Job ID for “{0}”', toLabel(jobTitle(row), 50)));
  if (jobId === undefined) {
    return undefined;
  }
  const known = store.jobs.find((job) => job.snapshot?.id === jobId && job.home.service === row.home.service);
  if (known !== undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('This job is already in the list, so the unconfirmed prompt was removed.'),
    );
    const found = known.untracked ? await store.append(known.key, { type: 'restored', at: Date.now() }) : known;
    await store.append(row.key, { type: 'discarded', at: Date.now(), send: send.id });
    return found;
  }
  const job = await lookUp(options, row.home, jobId);
  return job === undefined
    ? undefined
    : store.append(row.key, { type: 'created', at: Date.now(), send: send.id, job, home: row.home });
}

/** What adding an existing job to the list requires. */
export interface TrackJobOptions {
  store: JobStore;
  access: ServiceAccess;
  localAccess: LocalAccess;
  projects: Projects;
  keys: ApiKeys;
  view: JobsView;
}

/** Finds the job with an ID of the service, whether it is in the list or removed from it. */
export function findJob(
  store: Pick<JobStore, 'jobs'>,
  { service, projectId }: Pick<ServiceLocation, 'service' | 'projectId'>,
  id: string,
): TrackedJob | undefined {
  return store.jobs.find(
    ({ home, snapshot }) => snapshot?.id === id && home.service === service && home.projectId === projectId,
  );
}

/** Restores a removed job to the list. */
async function restoreIfRemoved(store: Pick<JobStore, 'append'>, job: TrackedJob): Promise<TrackedJob> {
  return job.untracked ? store.append(job.key, { type: 'restored', at: Date.now() }) : job;
}

const turns = new KeyedQueue();

/** Adds a job to the list by its ID, only once even if requested concurrently. */
export function addFound(
  { store }: Pick<TrackJobOptions, 'store'>,
  home: ServiceLocation,
  id: string,
  find: () => Promise<Snapshot | undefined>,
): Promise<TrackedJob | undefined> {
  return turns.run([home.service, home.projectId, id].join(' '), async () => {
    const found = findJob(store, home, id) === undefined ? await find() : undefined;
    // Another window may have added it during the request.
    const known = findJob(store, home, id);
    if (known !== undefined) {
      return restoreIfRemoved(store, known);
    }
    return found && store.add({ type: 'tracked', at: Date.now(), home, job: found });
  });
}

/** Fetches a job from the service; undefined on failure (the user is notified). */
export async function lookUp(
  { access, keys }: Pick<TrackJobOptions, 'access' | 'keys'>,
  home: ServiceLocation,
  jobId: string,
): Promise<Snapshot | undefined> {
  for (;;) {
    try {
      return toSnapshot(await access.lookUp(home, jobId));
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        throw error;
      }
      const canAsk = error.kind === 'unauthorized' && home.service !== LOCAL_SERVICE;
      if (canAsk && (await replaceKey(keys, home.service, error.code !== 'NO_KEY'))) {
        continue;
      }
      void vscode.window.showErrorMessage(
        toNotice(vscode.l10n.t('The job couldn’t be added. {0}', reasonText(error)), 400),
      );
      return undefined;
    }
  }
}
