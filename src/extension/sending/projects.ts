import * as vscode from 'vscode';
import { type ServiceLocation, LOCAL_SERVICE } from '../../jobs/events';
import { ServiceError } from '../../protocol/errors';
import { isPathSafeId } from '../../protocol/status';
import { type CommandId, SETTINGS, SETTINGS_SECTION } from '../ids';
import { type ApiKeys, DEFAULT_ORIGIN } from '../platform/apiKeys';
import type { LocalAccess } from '../platform/localAccess';
import { showErrorWithLog } from '../platform/log';
import { toLabel, toNotice, toPickLabel } from '../platform/sanitize';
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
    const folder = await chooseFolder(resource);
    if (folder === 'cancelled') {
      return undefined;
    }
    const present = settings.projectId(folder?.uri);
    if (present === '' && (await this.keys.get(service.origin)) === undefined) {
      // Nothing is set up, and the setup may select another service.
      return (await this.setUp(folder?.uri)) ? this.choose(undefined, folder?.uri ?? resource) : undefined;
    }
    const projectId = present || (await askForProject(service.origin, folder));
    return projectId === undefined ? undefined : this.checked(service, projectId);
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
    const problem = this.localProblem();
    if (problem !== undefined) {
      void offer(problem, vscode.l10n.t('Connect…'), 'docsAgent.connect');
      return undefined;
    }
    const folder = await chooseFolder(resource);
    if (folder === 'cancelled' || folder === undefined) {
      return undefined;
    }
    if (folder.uri.scheme !== 'file') {
      // A folder with the same path on this machine is not the one that the user has opened.
      const text = vscode.l10n.t('The local service needs a Git repository. Open its folder first.');
      void offer(text, vscode.l10n.t('Connect…'), 'docsAgent.connect');
      return undefined;
    }
    try {
      const found = await this.access.register(folder.uri.fsPath);
      if (found.agent === null) {
        void offerAgents();
        return undefined;
      }
      if (found.dirty) {
        const text = vscode.l10n.t('The agent won’t see uncommitted changes in {0}', toLabel(found.name, 40));
        vscode.window.setStatusBarMessage(`$(info) ${toPickLabel(text)}`, 10_000);
      }
      return { service: LOCAL_SERVICE, projectId: found.projectId, projectName: found.name };
    } catch (error) {
      const known = error instanceof ServiceError ? reasonText(error) : String(error);
      const isRefused = error instanceof ServiceError && error.kind === 'rejected';
      const text = isRefused ? serviceText(error.coded, error.detail) : known;
      void showErrorWithLog(toNotice(vscode.l10n.t('The local service can’t use this folder: {0}', text), 400));
      return undefined;
    }
  }

  private localProblem(): string | undefined {
    if (!this.localAvailable) {
      return vscode.l10n.t(
        'The local service has to run on the remote. Change “remote.extensionKind” for this extension, or use a hosted service.',
      );
    }
    if (!vscode.workspace.isTrusted) {
      return vscode.l10n.t('The local service runs programs on this folder’s files. Trust the workspace first.');
    }
    const onDisk = vscode.workspace.workspaceFolders?.some((folder) => folder.uri.scheme === 'file') ?? false;
    return onDisk ? undefined : vscode.l10n.t('The local service needs a Git repository. Open its folder first.');
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

async function offer(text: string, label: string, command: CommandId, argument?: object): Promise<void> {
  if ((await vscode.window.showWarningMessage(text, label)) === label) {
    await vscode.commands.executeCommand(command, argument);
  }
}

/** Called when no agent is available. The job is not sent and the prompt stays in its box. */
async function offerAgents(): Promise<void> {
  const show = vscode.l10n.t('Choose Coding Agent');
  const text = vscode.l10n.t('No coding agent is installed, or the selected one is missing.');
  await offer(text, show, 'docsAgent.manageLocalService', { show: 'agents' });
}

/** With several folders, returns that of the resource or the active editor, or asks. Undefined if no folder is open. */
async function chooseFolder(resource?: vscode.Uri): Promise<vscode.WorkspaceFolder | undefined | 'cancelled'> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const active = resource ?? vscode.window.activeTextEditor?.document.uri;
  const own = active === undefined ? undefined : vscode.workspace.getWorkspaceFolder(active);
  if (folders.length <= 1 || own !== undefined) {
    return own ?? folders[0];
  }
  const placeHolder = vscode.l10n.t('Select a folder for the job');
  return (await vscode.window.showWorkspaceFolderPick({ placeHolder, ignoreFocusOut: true })) ?? 'cancelled';
}

async function askForProject(origin: string, folder: vscode.WorkspaceFolder | undefined): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title:
      folder === undefined
        ? vscode.l10n.t('Project for new jobs')
        : vscode.l10n.t('Project for new jobs in {0}', folder.name),
    prompt: projectIdPrompt(origin),
    ignoreFocusOut: true,
    validateInput: (value) => projectIdProblem(value.trim()),
  });
  if (typed === undefined) {
    return undefined;
  }
  return (await offerToSave(typed.trim(), folder)) ? typed.trim() : undefined;
}

/** Returns false if the user cancelled; choosing not to save is a valid answer. */
async function offerToSave(projectId: string, folder: vscode.WorkspaceFolder | undefined): Promise<boolean> {
  const everywhere = {
    label: vscode.l10n.t('Save for all folders'),
    description: vscode.l10n.t('user settings'),
    target: vscode.ConfigurationTarget.Global,
  };
  const here = {
    label: vscode.l10n.t('Save for this folder'),
    description: '.vscode/settings.json',
    target: vscode.ConfigurationTarget.WorkspaceFolder,
  };
  const once = {
    label: vscode.l10n.t('Use once'),
    description: vscode.l10n.t('ask again next time'),
    target: undefined,
  };
  const items = folder === undefined ? [everywhere, once] : [here, everywhere, once];
  const title = vscode.l10n.t('Save project {0}?', projectId);
  const choice = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true });
  if (choice?.target !== undefined) {
    const section = vscode.workspace.getConfiguration(SETTINGS_SECTION, folder?.uri ?? null);
    await section.update(SETTINGS.projectId, projectId, choice.target);
  }
  return choice !== undefined;
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
