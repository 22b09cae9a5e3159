import * as vscode from 'vscode';
import type { App } from '../../app';
import { DEFAULT_ORIGIN } from '../../platform/apiKeys';
import { parseBaseUrl } from '../../platform/baseUrl';
import { showErrorWithLog } from '../../platform/log';
import { toNotice, toPickLabel } from '../../platform/sanitize';
import { settings } from '../../settings';
import { connectHosted } from './connectHosted';
import { connectLocal } from './connectLocal';

/** How the setup starts. */
export interface ConnectStart {
  /** The first answer, if it is known. */
  service?: 'hosted' | 'local' | undefined;
  /** The URI of the folder to set up; of several, the user chooses one if absent. */
  folder?: string | undefined;
  /** Another command continues afterwards, so no notification offers the first job. */
  goesOn?: boolean;
}

/** A setup that was completed: a text for the user, what else is good to know, and whether the service has confirmed it. */
export interface Connected {
  text: string;
  note?: string | undefined;
  isConfirmed: boolean;
}

/**
 * Asks for the service and for what it needs, tests the connection, and saves the answers. Nothing is saved before
 * that, and Escape discards everything. Resolves to true if it was completed.
 */
export async function connect(app: App, start: ConnectStart = {}): Promise<boolean> {
  const address = hostedAddress();
  const service = start.service ?? (await askForService(address));
  if (service === undefined) {
    return false;
  }
  const about = start.folder === undefined ? undefined : vscode.Uri.parse(start.folder);
  try {
    const done = await (service === 'local'
      ? connectLocal(app, about)
      : connectHosted(app, service === 'hosted' ? address : undefined, about));
    if (done === undefined) {
      return false;
    }
    if (done.isConfirmed) {
      app.milestones.record(service === 'local' ? 'localConnected' : 'hostedConnected');
    }
    void showConnected(done, start.goesOn === true);
    return true;
  } catch (error) {
    app.log.error('the setup failed', error);
    const reason = error instanceof Error ? error.message : String(error);
    void showErrorWithLog(toNotice(vscode.l10n.t('Couldn’t save the settings: {0}', reason), 400));
    return false;
  }
}

/** The first question: which service runs the jobs. */
async function askForService(address: string): Promise<'hosted' | 'local' | 'other' | undefined> {
  const items = [
    {
      label: `$(cloud) ${vscode.l10n.t('Hosted service')}`,
      description: toPickLabel(new URL(address).host),
      detail: vscode.l10n.t('Requires a project ID and an API key. Opens pull requests in the project’s repository.'),
      service: 'hosted' as const,
    },
    {
      label: `$(device-desktop) ${vscode.l10n.t('Local service')}`,
      description: vscode.l10n.t('no account needed'),
      detail: vscode.l10n.t(
        'Uses a coding agent installed on this machine, in a private clone of the open repository.',
      ),
      service: 'local' as const,
    },
    {
      label: `$(server) ${vscode.l10n.t('Other hosted service…')}`,
      detail: vscode.l10n.t('A compatible service at another URL.'),
      service: 'other' as const,
    },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Connect: choose where jobs run'),
    placeHolder: vscode.l10n.t('Nothing is saved until the last step. Press Escape to cancel.'),
    ignoreFocusOut: true,
  });
  return picked?.service;
}

/** The address in the settings, or that of the default service if it is invalid. */
function hostedAddress(): string {
  const present = parseBaseUrl(settings.baseUrl());
  return 'problem' in present ? DEFAULT_ORIGIN : present.baseUrl;
}

/** Says that the setup is done and offers the next step, unless another command continues. */
async function showConnected({ text, note, isConfirmed }: Connected, goesOn: boolean): Promise<void> {
  if (goesOn) {
    vscode.window.setStatusBarMessage(`$(check) ${toPickLabel(text)}`, 10_000);
    return;
  }
  const { showInformationMessage, showWarningMessage } = vscode.window;
  const all = toNotice(`${text} ${note ?? ''}`, 600);
  const [label, command] = isConfirmed
    ? [vscode.l10n.t('New Job'), 'docsAgent.createJob']
    : [vscode.l10n.t('Test Connection'), 'docsAgent.checkConnection'];
  if ((await (isConfirmed ? showInformationMessage : showWarningMessage)(all, label)) === label) {
    await vscode.commands.executeCommand(command);
  }
}
