import * as vscode from 'vscode';
import { ServiceError } from '../../../protocol/errors';
import type { FoundAgent } from '../../../protocol/localService';
import { SETTINGS, SETTINGS_SECTION } from '../../ids';
import type { LocalAccess } from '../../platform/localAccess';
import { showErrorWithLog } from '../../platform/log';
import { toNotice, toPickLabel } from '../../platform/sanitize';
import { reasonText } from '../../presentation/errorText';
import { agentName, howToGet, serviceText } from '../../presentation/serviceText';
import { sandboxText } from '../../presentation/sandboxText';
import { openSetting, settings } from '../../settings';

type Item = vscode.QuickPickItem & { agent?: FoundAgent; opens?: (typeof SETTINGS)[keyof typeof SETTINGS] };

/**
 * Shows which coding agents are installed, which are missing and how to get them, and lets the user choose one.
 * Installs nothing.
 */
export async function showAgents(access: LocalAccess): Promise<void> {
  const { agents, chosen, sandbox } = await found(access);
  if (agents.length === 0) {
    return;
  }
  const { agent: present } = settings.localJobs();
  const inUse = present === 'auto' ? chosen : present;
  const item = (agent: FoundAgent): Item => ({
    agent,
    label: `${agent.path === null ? '$(circle-slash)' : agent.name === inUse ? '$(check)' : '$(terminal)'} ${toPickLabel(agentName(agent))}`,
    description: agent.name === inUse ? vscode.l10n.t('in use') : '',
    detail: toPickLabel(agent.path ?? howToGet(agent)),
  });
  const installed = agents.filter(({ path }) => path !== null);
  const missing = agents.filter(({ path }) => path === null);
  const own: Item = {
    opens: SETTINGS.agentCommand,
    label: `${inUse === 'custom' ? '$(check)' : '$(settings-gear)'} ${vscode.l10n.t('Custom command')}`,
    description: inUse === 'custom' ? vscode.l10n.t('in use') : '',
    detail: vscode.l10n.t('Set in {0}', `${SETTINGS_SECTION}.${SETTINGS.agentCommand}`),
  };
  const sandboxed: Item = {
    opens: SETTINGS.confine,
    label: `$(shield) ${vscode.l10n.t('Sandbox')}`,
    detail: toPickLabel(sandboxText({ sandbox })),
  };
  const heading = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const items = [
    ...(installed.length > 0 ? [heading(vscode.l10n.t('Installed')), ...installed.map(item)] : []),
    heading(vscode.l10n.t('Other')),
    own,
    sandboxed,
    ...(missing.length > 0 ? [heading(vscode.l10n.t('Not found')), ...missing.map(item)] : []),
  ];
  const title = vscode.l10n.t('Coding agents for local jobs');
  const placeHolder = vscode.l10n.t('Select the agent for new runs');
  const choice = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true });
  if (choice?.opens !== undefined) {
    await openSetting(choice.opens);
  } else if (choice?.agent !== undefined) {
    await take(choice.agent);
  }
}

async function take({ name, title, path, how, coded }: FoundAgent): Promise<void> {
  if (path === null) {
    const copy = vscode.l10n.t('Copy');
    if (
      (await vscode.window.showInformationMessage(toNotice(`${title}: ${serviceText(coded, how)}`, 400), copy)) === copy
    ) {
      await vscode.env.clipboard.writeText(how);
    }
    return;
  }
  const section = vscode.workspace.getConfiguration(SETTINGS_SECTION);
  await section.update(SETTINGS.agent, name, vscode.ConfigurationTarget.Global);
  vscode.window.setStatusBarMessage(vscode.l10n.t('Local jobs now use {0}', toPickLabel(title)), 5000);
}

async function found(access: LocalAccess): ReturnType<LocalAccess['agents']> {
  try {
    return await access.agents();
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      throw error;
    }
    void showErrorWithLog(toNotice(reasonText(error), 400));
    return { agents: [], chosen: null, sandbox: null };
  }
}
