import * as vscode from 'vscode';
import { LOCAL_SERVICE, type Home, type Snapshot } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import { toSnapshot } from '../../jobs/snapshot';
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
