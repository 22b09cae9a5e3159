import * as vscode from 'vscode';
import { SETTINGS, SETTINGS_SECTION } from './ids';

export type NotificationLevel = 'all' | 'attention' | 'off';

function section(scope?: vscode.ConfigurationScope): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SETTINGS_SECTION, scope ?? null);
}

/** The settings as they are now; each is read when it is needed, so that a change needs no reload. */
export const settings = {
  usesLocalService: (): boolean => section().get<string>(SETTINGS.service) === 'local',
  baseUrl: (): string => section().get<string>(SETTINGS.baseUrl) ?? '',
  /** Trimmed; empty when none is set for this folder. */
  projectId: (folder?: vscode.Uri): string => (section(folder).get<string>(SETTINGS.projectId) ?? '').trim(),
  /** Program and arguments; empty when none is set. */
  agentCommand: (): string[] => {
    const value = section().get<unknown>(SETTINGS.agentCommand);
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  },
  notifications: (): NotificationLevel => section().get<NotificationLevel>(SETTINGS.notifications) ?? 'all',
};

/** Opens the settings page at one of our settings. */
export async function openSetting(name: (typeof SETTINGS)[keyof typeof SETTINGS]): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `${SETTINGS_SECTION}.${name}`);
}
