import * as vscode from 'vscode';
import { type ServiceLocation, LOCAL_SERVICE } from '../../jobs/events';
import { ServiceError } from '../../protocol/errors';
import type { ProjectSettings, RegisteredProject } from '../../protocol/localService';
import { isPathSafeId } from '../../protocol/status';
import { SETTINGS, SETTINGS_SECTION } from '../ids';
import { type ApiKeys, DEFAULT_ORIGIN } from '../platform/apiKeys';
import type { LocalAccess } from '../platform/localAccess';
import { showErrorWithLog } from '../platform/log';
import { toLabel, toNotice, toPickLabel } from '../platform/sanitize';
import { offer, offerFolder } from '../platform/offer';
import { type BaseUrlProblem, parseBaseUrl } from '../platform/baseUrl';
import { reasonText } from '../presentation/errorText';
import { serviceText } from '../presentation/serviceText';
import { openSetting, settings } from '../settings';

/** Determines the service and project of a new job; asks for what is not set. */
export class Projects {
  constructor(
    private readonly access: LocalAccess,
    private readonly localAvailable: boolean,
    private readonly keys: ApiKeys,
    /** Runs the setup, for this folder; resolves to true if it was completed. */
    private readonly setUp: (folder?: vscode.Uri) => Promise<boolean>,
  ) {}

  /**
   * Returns where a new job goes; undefined if the user cancelled or was told what to fix.
   *
   * @param project a project ID given with the command, which overrides the settings; hosted service only
   * @param resource what the job is about; its folder becomes the job's folder
   */
  async choose(project?: string, resource?: vscode.Uri): Promise<ServiceLocation | undefined> {
    if (settings.usesLocalService()) {
      return this.chooseLocal(resource);
    }
    const service = this.hostedService();
    if (service === undefined) {
      return undefined;
    }
    if (project !== undefined) {
      return this.checked(service, project);
    }
    const folder = await chooseFolder(resource ?? activeFile());
    if (folder === 'cancelled') {
      return undefined;
    }
    const present = settings.projectId(folder?.uri);
    if (present === '' && (await this.keys.get(service.origin)) === undefined) {
      // Nothing is set up, and the setup may select another service.
      return (await this.setUp(folder?.uri)) ? this.choose(undefined, folder?.uri ?? resource) : undefined;
    }
    return present === '' ? this.ask(service, folder, '', true) : this.checked(service, present);
  }

  /** Like `choose`, for a prompt whose service has no such project. Another project also becomes that of new jobs. */
  async change({ service, projectId }: ServiceLocation): Promise<ServiceLocation | undefined> {
    if (settings.usesLocalService()) {
      return this.chooseLocal();
    }
    const hosted = this.hostedService();
    const folder = hosted && (await chooseFolder(activeFile()));
    if (hosted === undefined || folder === 'cancelled') {
      return undefined;
    }
    const present = settings.projectId(folder?.uri);
    return this.ask(hosted, folder, present === '' && service === hosted.origin ? projectId : present);
  }

  private async ask(
    service: { origin: string; baseUrl: string },
    folder: vscode.WorkspaceFolder | undefined,
    value: string,
    mayUseOnce = false,
  ): Promise<ServiceLocation | undefined> {
    const project = await askForProject(service.origin, folder, value, mayUseOnce);
    await project?.save();
    return project && this.checked(service, project.projectId);
  }

  /**
   * Returns the hosted service from the settings; undefined if they are invalid (the user is notified unless
   * `quietly`).
   */
  hostedService(quietly = false): { origin: string; baseUrl: string } | undefined {
    const url = parseBaseUrl(settings.baseUrl());
    if (!('problem' in url)) {
      return url;
    }
    if (quietly) {
      return undefined;
    }
    void offerSetting(addressProblemText(url.problem), SETTINGS.baseUrl);
    return undefined;
  }

  private checked(service: { origin: string; baseUrl: string }, projectId: string): ServiceLocation | undefined {
    if (!isPathSafeId(projectId)) {
      void offerSetting(vscode.l10n.t('This project ID isn’t valid. Copy it again.'), SETTINGS.projectId);
      return undefined;
    }
    return { service: service.origin, baseUrl: service.baseUrl, projectId };
  }

  private async chooseLocal(resource?: vscode.Uri): Promise<ServiceLocation | undefined> {
    const folder = await chooseLocalFolder(this.localAvailable, resource ?? activeFile());
    const found = folder && (await registerRepository(this.access, folder));
    if (found === undefined) {
      return undefined;
    }
    if (found.agent === null) {
      // The job is not sent and the prompt stays in its box.
      const text = vscode.l10n.t('No coding agent is installed, or the selected one is missing.');
      void offer(text, vscode.l10n.t('Choose Coding Agent'), 'docsAgent.manageLocalService', { show: 'agents' });
      return undefined;
    }
    if (found.dirty) {
      const text = vscode.l10n.t('The agent won’t see uncommitted changes in {0}', toLabel(found.name, 40));
      vscode.window.setStatusBarMessage(`$(info) ${toPickLabel(text)}`, 10_000);
    }
    return { service: LOCAL_SERVICE, projectId: found.projectId, projectName: found.name };
  }
}

async function offerSetting(text: string, setting: (typeof SETTINGS)[keyof typeof SETTINGS]): Promise<void> {
  const open = vscode.l10n.t('Open Setting');
  const setUp = vscode.l10n.t('Connect…');
  const choice = await vscode.window.showWarningMessage(text, setUp, open);
  if (choice === open) {
    await openSetting(setting);
  } else if (choice === setUp) {
    await vscode.commands.executeCommand('docsAgent.connect');
  }
}

/**
 * Returns the folder that the local service works for. If something prevents that, says so, offers what helps, and
 * returns undefined.
 *
 * @param about see {@link chooseFolder}
 */
export async function chooseLocalFolder(
  localAvailable: boolean,
  about: vscode.Uri | undefined,
): Promise<vscode.WorkspaceFolder | undefined> {
  if (!localAvailable) {
    const text = vscode.l10n.t(
      'The local service has to run on the remote. Change “remote.extensionKind” for this extension, or use a hosted service.',
    );
    void offer(text, vscode.l10n.t('Open Setting'), 'workbench.action.openSettings', 'remote.extensionKind');
    return undefined;
  }
  if (!vscode.workspace.isTrusted) {
    const text = vscode.l10n.t('The local service runs programs on this folder’s files. Trust the workspace first.');
    void offer(text, vscode.l10n.t('Manage Workspace Trust'), 'workbench.trust.manage');
    return undefined;
  }
  const folder = await chooseFolder(about);
  if (folder !== 'cancelled' && folder?.uri.scheme !== 'file') {
    // A folder with the same path on this machine is not the one that the user has opened.
    void offerFolder(vscode.l10n.t('The local service needs a Git repository. Open its folder first.'));
    return undefined;
  }
  return folder === 'cancelled' ? undefined : folder;
}

/**
 * Registers a folder with the local service; tells the user why that is impossible.
 *
 * @param jobs how its jobs run, if not as the settings say
 */
export async function registerRepository(
  access: LocalAccess,
  folder: vscode.WorkspaceFolder,
  jobs?: ProjectSettings,
): Promise<RegisteredProject | undefined> {
  try {
    return await access.register(folder.uri.fsPath, jobs);
  } catch (error) {
    const say = (reason: string): string =>
      toNotice(vscode.l10n.t('The local service can’t use this folder: {0}', reason), 400);
    if (error instanceof ServiceError && error.kind === 'rejected') {
      // There, a folder can become a repository, and a repository can get its first commit.
      const text = say(serviceText(error.coded, error.detail));
      void offer(text, vscode.l10n.t('Open Source Control'), 'workbench.view.scm');
    } else {
      void showErrorWithLog(say(error instanceof ServiceError ? reasonText(error) : String(error)));
    }
    return undefined;
  }
}

function activeFile(): vscode.Uri | undefined {
  return vscode.window.activeTextEditor?.document.uri;
}

/** Returns the folder of this file or folder; of several, the user chooses one. Undefined if no folder is open. */
export async function chooseFolder(
  about: vscode.Uri | undefined,
): Promise<vscode.WorkspaceFolder | undefined | 'cancelled'> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const own = about && vscode.workspace.getWorkspaceFolder(about);
  if (folders.length <= 1 || own !== undefined) {
    return own ?? folders[0];
  }
  const placeHolder = vscode.l10n.t('Select a folder for new jobs');
  return (await vscode.window.showWorkspaceFolderPick({ placeHolder, ignoreFocusOut: true })) ?? 'cancelled';
}

/**
 * Asks for a project, and where to save it if it isn't the present one. Undefined when cancelled.
 *
 * @param value what the box begins with
 * @param mayUseOnce to also offer not to save it
 */
export async function askForProject(
  origin: string,
  folder: vscode.WorkspaceFolder | undefined,
  value: string,
  mayUseOnce = false,
): Promise<{ projectId: string; save: () => Promise<void> } | undefined> {
  const typed = await vscode.window.showInputBox({
    title:
      folder === undefined
        ? vscode.l10n.t('Project for new jobs')
        : vscode.l10n.t('Project for new jobs in {0}', folder.name),
    value,
    prompt: projectIdPrompt(origin),
    ignoreFocusOut: true,
    validateInput: (text) => projectIdProblem(text.trim()),
  });
  const projectId = typed?.trim();
  if (projectId === undefined) {
    return undefined;
  }
  const isPresent = projectId === settings.projectId(folder?.uri);
  const place = isPresent ? 'once' : await askWhereToSave(projectId, folder, origin, mayUseOnce);
  return (
    place && { projectId, save: async () => (place === 'once' ? undefined : saveProjectId(projectId, folder, place)) }
  );
}

/** The settings that hold a project ID. */
type Place = 'folder' | 'workspace' | 'user';

/** Asks in which settings to save a project ID, unless there is only one answer. */
export async function askWhereToSave(
  projectId: string,
  folder: vscode.WorkspaceFolder | undefined,
  origin: string,
  mayUseOnce = false,
): Promise<Place | 'once' | undefined> {
  const words: Record<Place | 'once', vscode.QuickPickItem> = {
    folder: {
      label: vscode.l10n.t('For this folder'),
      description: '.vscode/settings.json',
      // A repository can't choose the service, so the URL is only in the settings of the user.
      detail:
        origin === DEFAULT_ORIGIN
          ? toPickLabel(
              vscode.l10n.t('Used for new jobs in {0}, by everyone who shares this file.', folder?.name ?? ''),
            )
          : vscode.l10n.t('Used by everyone who shares this file. They enter the service’s URL themselves.'),
    },
    workspace: {
      label: vscode.l10n.t('For this workspace'),
      description: vscode.l10n.t('workspace file'),
      detail: vscode.l10n.t(
        'Used for new jobs in all folders of this workspace, unless a folder sets another project.',
      ),
    },
    user: {
      label: vscode.l10n.t('For all my folders'),
      description: vscode.l10n.t('user settings'),
      detail: vscode.l10n.t('Used for new jobs in all folders, unless a folder sets another project.'),
    },
    once: { label: vscode.l10n.t('Use once'), description: vscode.l10n.t('ask again next time') },
  };
  const places = [...placesFor(folder), ...(mayUseOnce ? (['once'] as const) : [])];
  if (places.length === 1) {
    return places[0];
  }
  const items = places.map((place) => ({ ...words[place], place }));
  const title = vscode.l10n.t('Save project {0} for…', projectId);
  return (await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true }))?.place;
}

/**
 * Only the settings in which a project would take effect: those of a folder override those of the workspace, which
 * override those of the user, also with an empty project.
 */
function placesFor(folder: vscode.WorkspaceFolder | undefined): Place[] {
  if (folder === undefined || !vscode.workspace.isTrusted) {
    return ['user'];
  }
  const set = vscode.workspace.getConfiguration(SETTINGS_SECTION, folder.uri).inspect(SETTINGS.projectId);
  if (typeof set?.workspaceFolderValue === 'string') {
    return ['folder'];
  }
  const shared: Place[] = vscode.workspace.workspaceFile === undefined ? ['folder'] : ['folder', 'workspace'];
  if (typeof set?.workspaceValue === 'string') {
    return shared;
  }
  // The first one is selected: that of the project that is replaced.
  return typeof set?.globalValue === 'string' && set.globalValue !== '' ? ['user', ...shared] : [...shared, 'user'];
}

async function saveProjectId(
  projectId: string,
  folder: vscode.WorkspaceFolder | undefined,
  place: Place,
): Promise<void> {
  const target = {
    folder: vscode.ConfigurationTarget.WorkspaceFolder,
    workspace: vscode.ConfigurationTarget.Workspace,
    user: vscode.ConfigurationTarget.Global,
  }[place];
  const section = vscode.workspace.getConfiguration(SETTINGS_SECTION, folder?.uri ?? null);
  await section.update(SETTINGS.projectId, projectId, target);
}

/** Says where the project ID of a hosted service comes from. */
export function projectIdPrompt(origin: string): string {
  return origin === DEFAULT_ORIGIN
    ? vscode.l10n.t('Paste the project ID from the dashboard’s API keys page.')
    : vscode.l10n.t('Paste the project ID from the service’s administrator or dashboard.');
}

/** Key and project ID come from the same place: a pasted key must not be saved in the settings. */
export function projectIdProblem(id: string): string | undefined {
  if (/^(?:mint_|team_[0-9a-f]{64}$)/.test(id)) {
    return vscode.l10n.t('This looks like an API key. Paste the project ID.');
  }
  return isPathSafeId(id) && !/\s/.test(id) ? undefined : vscode.l10n.t('A project ID can’t contain spaces.');
}

/** What is wrong with the base URL of a hosted service. */
export function addressProblemText(problem: BaseUrlProblem): string {
  return {
    invalid: vscode.l10n.t('The base URL isn’t valid. Enter a URL such as https://api.example.com.'),
    insecure: vscode.l10n.t('The base URL must start with https:// (http:// for this machine only).'),
    userInfo: vscode.l10n.t('The base URL can’t contain a user name or password. Remove them.'),
    query: vscode.l10n.t('The base URL can’t contain “?” or “#”. Remove it.'),
  }[problem];
}
