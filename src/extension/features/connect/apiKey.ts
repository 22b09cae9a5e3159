import * as vscode from 'vscode';
import type { ServiceLocation } from '../../../jobs/events';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { ServiceError } from '../../../protocol/errors';
import type { App } from '../../app';
import { serviceName } from '../../platform/apiKeys';
import { askForKey, locationNeedingKey, rejectedKeyText } from '../../platform/keyPrompt';
import { toNotice } from '../../platform/sanitize';
import type { Proof, ServiceAccess } from '../../platform/serviceAccess';
import { reasonText } from '../../presentation/errorText';
import { offerJob } from '../../presentation/jobPicker';
import type { Projects } from '../../sending/projects';
import { settings } from '../../settings';

/** The result of a connection check, for programs; the user has already been told. */
export interface ConnectionCheck {
  ok: boolean;
  reason: string;
}

/** The project for testing a key if none is set. Any will do: a key belongs to an organization, not to a project. */
const ANY_PROJECT = 'docs-agent-jobs-connection-check';

/** Prompts for a key, tests it, and stores it unless the service rejects it. The stored key stays until then. */
export async function setApiKey(options: App): Promise<void> {
  const needed = await locationNeedingKey(options);
  if (needed === undefined && settings.usesLocalService()) {
    void vscode.window.showInformationMessage(vscode.l10n.t('The local service doesn’t need an API key.'));
    return;
  }
  const location =
    needed === undefined ? hostedLocation(options.projects) : { ...needed, projectId: needed.projectId || ANY_PROJECT };
  if (location === undefined) {
    return;
  }
  let problem: ServiceError | undefined;
  const check = async (key: string): Promise<string | undefined> => {
    const found = await tryKey(options.access, location, { key });
    problem = found instanceof ServiceError ? found : undefined;
    return problem?.kind === 'unauthorized' ? rejectedKeyText() : undefined;
  };
  const key = await askForKey(location.service, { check });
  if (key !== undefined) {
    await options.keys.set(location.service, key);
    showKeySaved(location, problem);
  }
}

export async function clearApiKey({ keys, projects }: App): Promise<void> {
  const location = hostedLocation(projects);
  if (location === undefined) {
    return;
  }
  const clear = vscode.l10n.t('Remove Key');
  const text = vscode.l10n.t('Remove the API key for {0} from this machine?', serviceName(location.service));
  if ((await vscode.window.showWarningMessage(text, { modal: true }, clear)) === clear) {
    await keys.clear(location.service);
    void vscode.window.showInformationMessage(vscode.l10n.t('API key for {0} removed.', serviceName(location.service)));
  }
}

/** Checks the connection by requesting a job, which is free of charge and creates nothing. */
export async function checkConnection({ access, projects, store, milestones }: App): Promise<ConnectionCheck> {
  const location = settings.usesLocalService() ? await projects.choose() : hostedLocation(projects);
  if (location === undefined) {
    return { ok: false, reason: 'not set up' };
  }
  const known = knownJob(store.jobs, location);
  const title = vscode.l10n.t('Testing the connection to {0}…', serviceName(location.service));
  const found = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
    tryKey(access, known?.location ?? location, { jobId: known?.snapshot?.id }),
  );
  if (found instanceof ServiceError) {
    void offerSetUp(toNotice(vscode.l10n.t('{0}: {1}', serviceName(location.service), reasonText(found)), 500));
    return { ok: false, reason: found.kind };
  }
  milestones.record(settings.usesLocalService() ? 'localConnected' : 'hostedConnected');
  const project = known?.location.projectName ?? known?.location.projectId ?? location.projectId;
  const text =
    found === 'read'
      ? vscode.l10n.t(
          'Connected to {0}. The key can read project “{1}”. Write access will be verified when you send the next prompt.',
          serviceName(location.service),
          project,
        )
      : vscode.l10n.t(
          'Connected to {0}. The project will be verified when you send the first job.',
          serviceName(location.service),
        );
  void offerJob(toNotice(text, 400));
  return { ok: true, reason: found };
}

async function offerSetUp(text: string): Promise<void> {
  const setUp = vscode.l10n.t('Connect…');
  const log = vscode.l10n.t('Show Log');
  const choice = await vscode.window.showWarningMessage(text, setUp, log);
  if (choice !== undefined) {
    await vscode.commands.executeCommand(choice === log ? 'docsAgent.showLog' : 'docsAgent.connect');
  }
}

/** A job that the service should know: of this project, or of any project if none is set. */
export function knownJob(jobs: readonly TrackedJob[], location: ServiceLocation): TrackedJob | undefined {
  return jobs.findLast(
    ({ location: { service, baseUrl, projectId }, snapshot, untracked }) =>
      snapshot !== undefined &&
      !untracked &&
      service === location.service &&
      baseUrl === location.baseUrl &&
      (projectId === location.projectId || location.projectId === ANY_PROJECT),
  );
}

/** Tests a key as {@link ServiceAccess.check} does; resolves to the reason if the test fails. */
export async function tryKey(
  access: ServiceAccess,
  location: ServiceLocation,
  options: { key?: string | undefined; jobId?: string | undefined },
): Promise<Proof | ServiceError> {
  try {
    return await access.check(location, options);
  } catch (error) {
    return error instanceof ServiceError ? error : new ServiceError('notUnderstood', { effect: 'none', cause: error });
  }
}

function showKeySaved(location: ServiceLocation, problem: ServiceError | undefined): void {
  if (problem === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('API key for {0} saved. The service accepted it.', serviceName(location.service)),
    );
  } else {
    const text = vscode.l10n.t('API key saved, but not verified. {0}', reasonText(problem));
    void vscode.window.showWarningMessage(toNotice(text, 400));
  }
}

function hostedLocation(projects: Projects): ServiceLocation | undefined {
  const service = projects.hostedService();
  const projectId = settings.projectId(vscode.workspace.workspaceFolders?.[0]?.uri) || ANY_PROJECT;
  return service === undefined ? undefined : { service: service.origin, baseUrl: service.baseUrl, projectId };
}
