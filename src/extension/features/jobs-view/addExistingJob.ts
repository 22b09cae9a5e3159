import * as vscode from 'vscode';
import { KeyedQueue } from '../../../base/async';
import { type ServiceLocation, LOCAL_SERVICE, type Snapshot } from '../../../jobs/events';
import type { JobStore } from '../../../jobs/jobStore';
import { toSnapshot } from '../../../jobs/snapshot';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { ServiceError } from '../../../protocol/errors';
import type { App } from '../../app';
import { replaceKey } from '../../platform/keyPrompt';
import { toNotice } from '../../platform/sanitize';
import { reasonText } from '../../presentation/errorText';

/** Finds the job with an ID of the service, whether it is in the list or removed from it. */
export function findJob(
  store: Pick<JobStore, 'jobs'>,
  { service, projectId }: Pick<ServiceLocation, 'service' | 'projectId'>,
  id: string,
): TrackedJob | undefined {
  return store.jobs.find(
    ({ location, snapshot }) => snapshot?.id === id && location.service === service && location.projectId === projectId,
  );
}

/** Restores a removed job to the list. */
export async function restoreIfRemoved(store: Pick<JobStore, 'append'>, job: TrackedJob): Promise<TrackedJob> {
  return job.untracked ? store.append(job.key, { type: 'restored', at: Date.now() }) : job;
}

const turns = new KeyedQueue();

/** Adds a job to the list by its ID, only once even if requested concurrently. */
export function addExistingJob(
  { store }: Pick<App, 'store'>,
  location: ServiceLocation,
  id: string,
  find: () => Promise<Snapshot | undefined>,
): Promise<TrackedJob | undefined> {
  return turns.run([location.service, location.projectId, id].join(' '), async () => {
    const found = findJob(store, location, id) === undefined ? await find() : undefined;
    // Another window may have added it during the request.
    const known = findJob(store, location, id);
    if (known !== undefined) {
      return restoreIfRemoved(store, known);
    }
    return found && store.add({ type: 'tracked', at: Date.now(), location, job: found });
  });
}

/** Fetches a job from the service; undefined on failure (the user is notified). */
export async function lookUp(
  { access, keys }: Pick<App, 'access' | 'keys'>,
  location: ServiceLocation,
  jobId: string,
): Promise<Snapshot | undefined> {
  for (;;) {
    try {
      return toSnapshot(await access.lookUp(location, jobId));
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        throw error;
      }
      const canAsk = error.kind === 'unauthorized' && location.service !== LOCAL_SERVICE;
      if (canAsk && (await replaceKey(keys, location.service, error.code !== 'NO_KEY'))) {
        continue;
      }
      void vscode.window.showErrorMessage(
        toNotice(vscode.l10n.t('The job couldn’t be added. {0}', reasonText(error)), 400),
      );
      return undefined;
    }
  }
}
