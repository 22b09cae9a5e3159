import { LOCAL_SERVICE, type Home } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import type { Poller } from '../../jobs/poller';
import { isListed, waitsForKey } from '../../jobs/trackedJob';
import { settings } from '../settings';
import type { ApiKeys } from './apiKeys';
import { isRefused } from './keyNotices';
import { parseBaseUrl } from './serviceUrl';

export interface NeededKeyOptions {
  store: JobStore;
  poller: Poller;
  keys: ApiKeys;
}

/**
 * Where a key is missing, or was refused, beside jobs in the list: the home of such a job before that of new jobs,
 * because a job stays with its service whatever the settings say. Undefined when no key is needed.
 */
export async function neededKey({ store, poller, keys }: NeededKeyOptions): Promise<Home | undefined> {
  const listed = store.jobs.filter(isListed);
  const refused = listed.find((job) => isRefused(job, poller));
  if (refused !== undefined) {
    return refused.home;
  }
  const next = hostedService();
  const homes = [
    ...listed.filter((job) => job.sends.some(waitsForKey)).map((job) => job.home),
    ...(listed.length > 0 && next ? [next] : []),
  ];
  for (const home of homes) {
    if (home.service !== LOCAL_SERVICE && (await keys.get(home.service)) === undefined) {
      return home;
    }
  }
  return undefined;
}

/** Where new jobs go by the settings, without a project; undefined for the local service or a base URL of no use. */
export function hostedService(): Home | undefined {
  const url = parseBaseUrl(settings.baseUrl());
  return settings.usesLocalService() || 'problem' in url
    ? undefined
    : { service: url.origin, baseUrl: url.baseUrl, projectId: '' };
}
