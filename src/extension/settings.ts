import * as vscode from 'vscode';
import { SETTINGS, SETTINGS_SECTION } from './ids';

const LEVELS = ['all', 'attention', 'off'] as const;

export type NotificationLevel = (typeof LEVELS)[number];

function section(scope?: vscode.ConfigurationScope): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SETTINGS_SECTION, scope ?? null);
}

/** A file of settings can hold anything: what is no text counts as none. */
function text(name: string, scope?: vscode.ConfigurationScope): string {
  const value = section(scope).get<unknown>(name);
  return typeof value === 'string' ? value : '';
}

/** The settings as they are now; each is read when it is needed, so that a change needs no reload. */
export const settings = {
  usesLocalService: (): boolean => text(SETTINGS.service) === 'local',
  baseUrl: (): string => text(SETTINGS.baseUrl),
  /** Trimmed; empty when none is set for this folder. */
  projectId: (folder?: vscode.Uri): string => text(SETTINGS.projectId, folder).trim(),
  /** Program and arguments; empty when none is set. */
  agentCommand: (): string[] => {
    const value = section().get<unknown>(SETTINGS.agentCommand);
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  },
  notifications: (): NotificationLevel => LEVELS.find((level) => level === text(SETTINGS.notifications)) ?? 'all',
};

/** Opens the settings page at one of our settings. */
export async function openSetting(name: (typeof SETTINGS)[keyof typeof SETTINGS]): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `${SETTINGS_SECTION}.${name}`);
}
