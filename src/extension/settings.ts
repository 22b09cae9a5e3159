import * as vscode from 'vscode';
import type { ProjectSettings } from '../protocol/localService';
import { SETTINGS, SETTINGS_SECTION } from './ids';

const LEVELS = ['all', 'attention', 'off'] as const;

const TIMES = ['ask', 'queue', 'interrupt'] as const;

export const CODE_ACTIONS = ['symbol', 'selection', 'comment', 'problem'] as const;

/** What the lightbulb may offer. */
export type CodeActionChoice = (typeof CODE_ACTIONS)[number];

export type NotificationLevel = (typeof LEVELS)[number];

function section(scope?: vscode.ConfigurationScope): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SETTINGS_SECTION, scope ?? null);
}

/** A settings file can contain any type; anything but a string counts as empty. */
function text(name: string, scope?: vscode.ConfigurationScope): string {
  const value = section(scope).get<unknown>(name);
  return typeof value === 'string' ? value : '';
}

function texts(name: string): string[] {
  const value = section().get<unknown>(name);
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function wholeNumber(name: string, least: number, most: number): number | undefined {
  const value = section().get<unknown>(name);
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

const CONFINEMENTS = ['auto', 'require', 'off'] as const;

const AGENT_NAME = /^[a-z0-9-]{1,40}$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** Duplicate those of the protocol, which is not worth loading at startup. The service rejects other values. */
const ALLOWED_HOST = /^(localhost(?=:)|(\*\.[a-z0-9_-]+|[a-z0-9_-]+)(\.[a-z0-9_-]+)+|\[[0-9a-f:]+\])(:[1-9]\d{0,4})?$/i;
const WRITABLE_FOLDER = /^(\/|~\/|[a-z]:[\\/])/i;
const WITHHELD_VARIABLE = /^(DOCS_AGENT_|VSCODE_|ELECTRON_|GIT_|NODE_OPTIONS$)/i;

/** Reads each setting when it is used, so that changes take effect without a reload. */
export const settings = {
  usesLocalService: (): boolean => text(SETTINGS.service) === 'local',
  baseUrl: (): string => text(SETTINGS.baseUrl),
  /** Trimmed; empty when the setting is not set for this folder. */
  projectId: (folder?: vscode.Uri): string => text(SETTINGS.projectId, folder).trim(),
  /** How the local service runs jobs, for any project. */
  localJobs: (): ProjectSettings => {
    const command = texts(SETTINGS.agentCommand);
    const agent = text(SETTINGS.agent);
    const own = command.length > 0 && (agent === '' || agent === 'auto' || agent === 'custom');
    return {
      agent: own ? 'custom' : AGENT_NAME.test(agent) ? agent : 'auto',
      command,
      protocol: text(SETTINGS.agentProtocol) === 'acp' ? 'acp' : 'stdin',
      mayRunCommands: text(SETTINGS.permissions) === 'commands',
      repositoryAgentSettings: section().get<unknown>(SETTINGS.repositoryAgentSettings) === true,
      variables: texts(SETTINGS.environment).filter(
        (name) => VARIABLE_NAME.test(name) && !WITHHELD_VARIABLE.test(name),
      ),
      confine: CONFINEMENTS.find((mode) => mode === text(SETTINGS.confine)) ?? 'auto',
      allowedHosts: texts(SETTINGS.allowedHosts).filter((host) => ALLOWED_HOST.test(host)),
      writableFolders: texts(SETTINGS.writableFolders).filter((path) => WRITABLE_FOLDER.test(path)),
      publish: section().get<unknown>(SETTINGS.publish) !== false,
      checkInPullRequest: section().get<unknown>(SETTINGS.checkInPullRequest) === true,
    };
  },
  /** The maximum number of local jobs that run at once. */
  concurrency: (): number => wholeNumber(SETTINGS.concurrency, 1, 16) ?? 2,
  /** The time limit for a local agent to work on one message, in milliseconds. */
  turnLimitMs: (): number => (wholeNumber(SETTINGS.timeLimit, 1, 1440) ?? 30) * 60_000,
  /** For how many days the local service keeps the folder of a finished job whose work is safe. */
  keepDays: (): number => wholeNumber(SETTINGS.keepDays, 1, 3650) ?? 30,
  /** Text that is added to the prompt of each new job; empty if there is none. */
  instructions: (): string => text(SETTINGS.instructions),
  /** What happens to a follow-up while its job is running. */
  whileRunning: (): (typeof TIMES)[number] => TIMES.find((time) => time === text(SETTINGS.whileRunning)) ?? 'ask',
  codeActions: (): readonly CodeActionChoice[] =>
    CODE_ACTIONS.filter((choice) => texts(SETTINGS.codeActions).includes(choice)),
  /** Words that mark a code comment as a request for documentation. */
  notifications: (): NotificationLevel => LEVELS.find((level) => level === text(SETTINGS.notifications)) ?? 'all',
};

/** Opens the settings page at one of the extension's settings. */
export async function openSetting(name: (typeof SETTINGS)[keyof typeof SETTINGS]): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `${SETTINGS_SECTION}.${name}`);
}

/** Saves a setting for the user: a repository must not choose where a key is sent and what is run. */
export async function saveForUser(name: (typeof SETTINGS)[keyof typeof SETTINGS], value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration(SETTINGS_SECTION).update(name, value, vscode.ConfigurationTarget.Global);
}
