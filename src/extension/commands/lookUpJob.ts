import * as vscode from 'vscode';
import { LOCAL_SERVICE, type Home, type Snapshot } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import type { TrackedJob } from '../../jobs/trackedJob';
import { toSnapshot } from '../../jobs/snapshot';
import { KeyedQueue } from '../../shared/util/keyedQueue';
import { ServiceError } from '../../shared/protocol/serviceError';
import type { ApiKeys } from '../services/apiKeys';
import { reasonText } from '../services/errorText';
import { replaceKey } from '../services/keyPrompt';
import type { LocalAccess } from '../services/localAccess';
import type { Projects } from '../services/projects';
import type { ServiceAccess } from '../services/serviceAccess';
import { toNotice } from '../text';
import type { JobsView } from '../views/jobsView';

/** What it takes to put a job into the list that was made elsewhere. */
export interface TrackJobOptions {
  store: JobStore;
  access: ServiceAccess;
  localAccess: LocalAccess;
  projects: Projects;
  keys: ApiKeys;
  view: JobsView;
}

/** The job that a service has under an ID, in the list or removed from it. */
export function findJob(
  store: Pick<JobStore, 'jobs'>,
  { service, projectId }: Pick<Home, 'service' | 'projectId'>,
  id: string,
): TrackedJob | undefined {
  return store.jobs.find(
    ({ home, snapshot }) => snapshot?.id === id && home.service === service && home.projectId === projectId,
  );
}

/** Puts a removed job into the list again. */
export async function listAgain(store: Pick<JobStore, 'append'>, job: TrackedJob): Promise<TrackedJob> {
  return job.untracked ? store.append(job.key, { type: 'restored', at: Date.now() }) : job;
}

const turns = new KeyedQueue();

/** Puts a job into the list that is found by its ID, once however often that is asked for. */
export function addFound(
  { store }: Pick<TrackJobOptions, 'store'>,
  home: Home,
  id: string,
  find: () => Promise<Snapshot | undefined>,
): Promise<TrackedJob | undefined> {
  return turns.run([home.service, home.projectId, id].join(' '), async () => {
    const found = findJob(store, home, id) === undefined ? await find() : undefined;
    // Another window may have put it there while the service was asked.
    const known = findJob(store, home, id);
    if (known !== undefined) {
      return listAgain(store, known);
    }
    return found && store.add({ type: 'tracked', at: Date.now(), home, job: found });
  });
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
      void vscode.window.showErrorMessage(
        toNotice(vscode.l10n.t('The job is not in the list. {0}', reasonText(error)), 400),
      );
      return undefined;
    }
  }
}
