import * as vscode from 'vscode';
import type { App } from '../../app';
import { ServiceError } from '../../../protocol/errors';
import { DEMO_AGENT } from '../../../protocol/localIds';
import type { AgentsAnswer, FoundAgent, ProjectSettings } from '../../../protocol/localService';
import { SETTINGS } from '../../ids';
import { askForCommand } from '../../platform/agentCommand';
import { showErrorWithLog } from '../../platform/log';
import { toBoxLine, toLabel, toNotice, toPickLabel } from '../../platform/sanitize';
import { reasonText } from '../../presentation/errorText';
import { agentName, howToGet, installCommand, serviceText } from '../../presentation/serviceText';
import { sandboxText } from '../../presentation/sandboxText';
import { chooseLocalFolder, registerRepository } from '../../sending/projects';
import { saveForUser, settings } from '../../settings';
import type { Connected } from './connect';

/** An agent that can be chosen: its value in the settings, and what runs. */
interface Choice {
  value: string;
  title: string;
  /** Of the user's own command. */
  command?: string[];
}

type Asked = Choice & Pick<AgentsAnswer, 'sandbox'>;

type AgentItem = vscode.QuickPickItem & { choice?: Choice; missing?: FoundAgent; isNewCommand?: true };

/** Sets up the local service, which is started if needed, for a folder. Existing jobs keep their agent. */
export async function connectLocal(
  { localAccess, localAvailable }: Pick<App, 'localAccess' | 'localAvailable'>,
  about: vscode.Uri | undefined,
): Promise<Connected | undefined> {
  const folder = await chooseLocalFolder(localAvailable, about);
  if (folder === undefined) {
    return undefined;
  }
  let agent = await askForAgent(() => localAccess.agents());
  let project = agent && (await registerRepository(localAccess, folder, jobsBy(agent)));
  while (project?.agent === null && agent?.command !== undefined) {
    const command = await askForCommand(agent.command, vscode.l10n.t('“{0}” wasn’t found.', agent.command[0] ?? ''));
    agent = command && { ...agent, ...byCommand(command) };
    project = agent && (await registerRepository(localAccess, folder, jobsBy(agent)));
  }
  if (agent === undefined || project === undefined) {
    return undefined;
  }
  if (agent.command !== undefined && agent.command.join('\0') !== settings.localJobs().command.join('\0')) {
    await saveForUser(SETTINGS.agentCommand, agent.command);
  }
  if (agent.value !== settings.localJobs().agent) {
    await saveForUser(SETTINGS.agent, agent.value);
  }
  if (!settings.usesLocalService()) {
    await saveForUser(SETTINGS.service, 'local');
  }
  const [title, name] = [toLabel(agent.title, 60), toLabel(project.name, 60)];
  return {
    text: vscode.l10n.t('{0} handles jobs for {1}.', title, name),
    // It runs no programs.
    note: agent.value === DEMO_AGENT ? undefined : sandboxText(agent),
    isConfirmed: true,
  };
}

/** The settings with which the choice will be saved. */
function jobsBy({ value, command }: Choice): ProjectSettings {
  const jobs = settings.localJobs();
  return { ...jobs, agent: value, command: command ?? jobs.command };
}

function byCommand(command: string[]): Choice {
  return { value: 'custom', title: command[0]?.split(/[/\\]/).at(-1) ?? '', command };
}

/**
 * Asks which of the installed agents to use, or for a command. A missing agent shows how to get it, and the agents are
 * looked up again.
 */
async function askForAgent(find: () => Promise<AgentsAnswer>): Promise<Asked | undefined> {
  const title = vscode.l10n.t('Starting the local service and looking for coding agents…');
  let wanted: string | undefined;
  for (;;) {
    let answer: AgentsAnswer;
    try {
      answer = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, find);
    } catch (error) {
      void showErrorWithLog(toNotice(error instanceof ServiceError ? reasonText(error) : String(error), 400));
      return undefined;
    }
    const items = agentItems(answer);
    const isNone = items.every(({ choice }) => choice === undefined || choice.value === DEMO_AGENT);
    const stillMissing = answer.agents.find(({ name, path }) => name === wanted && path === null);
    const picked = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Choose a coding agent'),
      placeHolder: stillMissing
        ? vscode.l10n.t('Still not found: {0}', toPickLabel(stillMissing.title))
        : isNone
          ? vscode.l10n.t('No coding agent is installed. Select one to see how to install it, or take the demo agent.')
          : vscode.l10n.t('Works in a private clone, not in your files.'),
      matchOnDetail: true,
      ignoreFocusOut: true,
    });
    if (picked?.missing === undefined) {
      const command = picked?.isNewCommand && (await askForCommand(settings.localJobs().command));
      const choice = command ? byCommand(command) : picked?.choice;
      return choice && { ...choice, sandbox: answer.sandbox };
    }
    wanted = picked.missing.name;
    if (!(await showHowToGet(picked.missing))) {
      return undefined;
    }
  }
}

function agentItems({ agents, chosen }: AgentsAnswer): AgentItem[] {
  const found = agents.filter(({ name, path }) => path !== null && name !== DEMO_AGENT);
  const demo = agents.filter(({ name }) => name === DEMO_AGENT);
  const missing = agents.filter(({ path }) => path === null);
  const { command } = settings.localJobs();
  const own: AgentItem = {
    label: `$(settings-gear) ${vscode.l10n.t('Custom command')}`,
    detail: toPickLabel(command.join(' ')),
    choice: byCommand(command),
  };
  const first = (automatic: FoundAgent): AgentItem => ({
    label: `$(check) ${vscode.l10n.t('Automatic')}`,
    description: toPickLabel(vscode.l10n.t('currently {0}', automatic.title)),
    choice: { value: 'auto', title: automatic.title },
  });
  const heading = (label: string): AgentItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  return [
    // A command that is set runs instead of the first agent found.
    ...(command.length > 0 ? [own] : agents.filter(({ name }) => name === chosen).map(first)),
    ...(found.length === 0 ? [] : [heading(vscode.l10n.t('Installed'))]),
    ...found.map(({ name, title, path }) => ({
      label: `$(terminal) ${toPickLabel(title)}`,
      detail: toPickLabel(path ?? ''),
      choice: { value: name, title },
    })),
    // Before those that are missing, so that someone without an agent sees it.
    ...(demo.length === 0 ? [] : [heading(vscode.l10n.t('To try out'))]),
    ...demo.map((agent) => ({
      label: `$(beaker) ${toPickLabel(agentName(agent))}`,
      detail: vscode.l10n.t('Replaces or removes words you quote, and adds notes'),
      choice: { value: agent.name, title: agentName(agent) },
    })),
    ...(missing.length === 0 ? [] : [heading(vscode.l10n.t('Not found'))]),
    // The heading says that they are missing: a row has space for one line.
    ...missing.map((agent) => ({
      label: `$(circle-slash) ${toPickLabel(agent.title)}`,
      detail: toPickLabel(howToGet(agent)),
      missing: agent,
    })),
    heading(vscode.l10n.t('Other')),
    {
      label: `$(edit) ${vscode.l10n.t('Custom command…')}`,
      detail: vscode.l10n.t('Any other program that edits files'),
      isNewCommand: true,
    },
  ];
}

/** Shows how to install an agent, for copying. Resolves to true when the user wants to look for it again. */
async function showHowToGet(agent: FoundAgent): Promise<boolean> {
  const text = serviceText(agent.coded, agent.how);
  const left = await vscode.window.showInputBox({
    title: vscode.l10n.t('How to install {0}', toLabel(agent.title)),
    value: installCommand(agent) ?? text,
    // A link in it would run any command.
    prompt: toBoxLine(
      vscode.l10n.t('{0} Then sign in once in a terminal, and press Enter to check again.', text),
      1_000,
    ),
    ignoreFocusOut: true,
  });
  return left !== undefined;
}
