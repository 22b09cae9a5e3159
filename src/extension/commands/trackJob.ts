import * as vscode from 'vscode';
import { LOCAL_SERVICE, type Home, type Snapshot } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import { toSnapshot } from '../../jobs/snapshot';
import type { TrackedJob } from '../../jobs/trackedJob';
import { isPathSafeId } from '../../shared/protocol/pathSafeId';
import { ServiceError } from '../../shared/protocol/serviceError';
import type { ApiKeys } from '../services/apiKeys';
import { reasonText } from '../services/errorText';
import { replaceKey } from '../services/keyPrompt';
import type { Projects } from '../services/projects';
import type { ServiceAccess } from '../services/serviceAccess';
import { toLabel, toNotice } from '../text';
import { readTrack } from './arguments';

const { t } = vscode.l10n;

export interface TrackJobOptions {
  store: JobStore;
  access: ServiceAccess;
  projects: Projects;
  keys: ApiKeys;
}

/** Puts a job that was made elsewhere into the list, after the service has shown it. */
export async function trackJob(options: TrackJobOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const given = readTrack(argument);
  const home = await options.projects.choose(given?.project);
  if (home === undefined) {
    return undefined;
  }
  const jobId = given?.jobId ?? (await askForId(home));
  if (jobId === undefined) {
    return undefined;
  }
  const known = options.store.jobs.find((job) => job.snapshot?.id === jobId && job.home.service === home.service);
  if (known !== undefined) {
    return known.untracked ? options.store.append(known.key, { type: 'restored', at: Date.now() }) : known;
  }
  const job = await lookUp(options, home, jobId);
  return job === undefined ? undefined : options.store.add({ type: 'tracked', at: Date.now(), home, job });
}

async function askForId(home: Home): Promise<string | undefined> {
  return askForJobId(t('Track a job of {0}', toLabel(home.projectName ?? home.projectId, 50)));
}

/** Asks for the ID that a service gave to a job; undefined when cancelled. */
export async function askForJobId(title: string): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title,
    prompt: t('The ID of the job, as the service gave it.'),
    ignoreFocusOut: true,
    validateInput: (value) => (isPathSafeId(value.trim()) ? undefined : t('Enter the ID of a job.')),
  });
  return typed?.trim();
}

/** What the service says of a job; undefined when it could not be had, which the user was told. */
export async function lookUp(
  { access, keys }: Pick<TrackJobOptions, 'access' | 'keys'>,
  home: Home,
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
      void vscode.window.showErrorMessage(toNotice(t('The job is not in the list. {0}', reasonText(error)), 400));
      return undefined;
    }
  }
}
