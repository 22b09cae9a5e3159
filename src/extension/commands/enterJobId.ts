import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import { type TrackedJob, pendingCreate } from '../../jobs/trackedJob';
import type { JobPicker } from '../jobPicker';
import type { ApiKeys } from '../services/apiKeys';
import type { ServiceAccess } from '../services/serviceAccess';
import { toLabel } from '../text';
import { jobTitle } from '../presentation/jobText';
import { readJobName } from './arguments';
import { lookUp } from './lookUpJob';
import { askForJobId } from './trackJob';

export interface EnterJobIdOptions {
  store: JobStore;
  picker: JobPicker;
  access: ServiceAccess;
  keys: ApiKeys;
}

const mayExist = (job: TrackedJob): boolean => pendingCreate(job)?.state === 'unconfirmed';

/** Settles a prompt of which no answer came, by the ID of the job that came of it. */
export async function enterJobId(options: EnterJobIdOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const { store, picker } = options;
  const row = await picker.choose(readJobName(argument), vscode.l10n.t('Which job may have been created?'), mayExist);
  const send = row === undefined ? undefined : pendingCreate(row);
  if (row === undefined || send?.state !== 'unconfirmed') {
    return undefined;
  }
  const jobId = await askForJobId(vscode.l10n.t('The job that came of “{0}”', toLabel(jobTitle(row), 50)));
  if (jobId === undefined) {
    return undefined;
  }
  const known = store.jobs.find((job) => job.snapshot?.id === jobId && job.home.service === row.home.service);
  if (known !== undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('This job is in the list already; its prompt was taken off.'),
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
