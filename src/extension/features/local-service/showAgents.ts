import * as vscode from 'vscode';
import { ServiceError } from '../../../protocol/errors';
import { DEMO_AGENT } from '../../../protocol/localIds';
import type { FoundAgent } from '../../../protocol/localService';
import { SETTINGS } from '../../ids';
import { askForCommand } from '../../platform/agentCommand';
import type { LocalAccess } from '../../platform/localAccess';
import { showErrorWithLog } from '../../platform/log';
import { toNotice, toPickLabel } from '../../platform/sanitize';
import { reasonText } from '../../presentation/errorText';
import { agentName, howToGet, serviceText } from '../../presentation/serviceText';
import { sandboxText } from '../../presentation/sandboxText';
import { openSetting, saveForUser, settings } from '../../settings';

type Item = vscode.QuickPickItem & { agent?: FoundAgent; does?: () => Promise<unknown> };

/**
 * Shows which coding agents are installed, which are missing and how to get them, and lets the user choose one.
 * Installs nothing.
 */
export async function showAgents(access: LocalAccess): Promise<void> {
  const answer = await access.agents().catch((error: unknown) => {
    void showErrorWithLog(toNotice(error instanceof ServiceError ? reasonText(error) : String(error), 400));
  });
  if (answer === undefined) {
    return;
  }
  const { agents, chosen, sandbox } = answer;
  const { agent: present } = settings.localJobs();
  const inUse = present === 'auto' ? chosen : present;
  const item = (agent: FoundAgent): Item => ({
    agent,
    label: `${agent.path === null ? '$(circle-slash)' : agent.name === inUse ? '$(check)' : '$(terminal)'} ${toPickLabel(agentName(agent))}`,
    description: agent.name === inUse ? vscode.l10n.t('in use') : '',
    detail:
      agent.name === DEMO_AGENT
        ? vscode.l10n.t('Replaces or removes words you quote, and adds notes')
        : toPickLabel(agent.path ?? howToGet(agent)),
  });
  const own: Item = {
    does: takeCommand,
    label: `${inUse === 'custom' ? '$(check)' : '$(settings-gear)'} ${vscode.l10n.t('Custom command…')}`,
    description: inUse === 'custom' ? vscode.l10n.t('in use') : '',
    detail: toPickLabel(settings.localJobs().command.join(' ')) || vscode.l10n.t('Any other program that edits files'),
  };
  const sandboxed: Item = {
    does: () => openSetting(SETTINGS.confine),
    label: `$(shield) ${vscode.l10n.t('Sandbox')}`,
    detail: toPickLabel(sandboxText({ sandbox })),
  };
  const heading = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const group = (label: string, fits: (agent: FoundAgent) => boolean): Item[] =>
    agents.some(fits) ? [heading(label), ...agents.filter(fits).map(item)] : [];
  const items = [
    ...group(vscode.l10n.t('Installed'), ({ name, path }) => path !== null && name !== DEMO_AGENT),
    ...group(vscode.l10n.t('To try out'), ({ name }) => name === DEMO_AGENT),
    heading(vscode.l10n.t('Other')),
    own,
    sandboxed,
    ...group(vscode.l10n.t('Not found'), ({ path }) => path === null),
  ];
  const title = vscode.l10n.t('Coding agents for local jobs');
  const placeHolder = vscode.l10n.t('Select the agent for new runs');
  const choice = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true });
  await (choice?.agent === undefined ? choice?.does?.() : take(choice.agent));
}

async function takeCommand(): Promise<void> {
  const command = await askForCommand(settings.localJobs().command);
  if (command !== undefined) {
    await saveForUser(SETTINGS.agentCommand, command);
    await saveForUser(SETTINGS.agent, 'custom');
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
  await saveForUser(SETTINGS.agent, name);
  vscode.window.setStatusBarMessage(vscode.l10n.t('Local jobs now use {0}', toPickLabel(title)), 5000);
}
