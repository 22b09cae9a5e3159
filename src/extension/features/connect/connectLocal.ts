import * as vscode from 'vscode';
import type { App } from '../../app';
import { ServiceError } from '../../../protocol/errors';
import type { AgentsAnswer, FoundAgent } from '../../../protocol/localService';
import { SETTINGS } from '../../ids';
import { showErrorWithLog } from '../../platform/log';
import { toBoxLine, toLabel, toNotice, toPickLabel } from '../../platform/sanitize';
import { reasonText } from '../../presentation/errorText';
import { howToGet, installCommand, lacksAdapter, serviceText } from '../../presentation/serviceText';
import { sandboxText } from '../../presentation/sandboxText';
import { chooseLocalFolder, registerRepository } from '../../sending/projects';
import { saveForUser, settings } from '../../settings';
import type { Connected } from './connect';

/** An agent that can be chosen: its value in the settings, and what runs. */
interface Choice {
  value: string;
  title: string;
}

type Asked = Choice & Pick<AgentsAnswer, 'sandbox'>;

type AgentItem = vscode.QuickPickItem & { choice?: Choice; missing?: FoundAgent };

/** Sets up the local service, which is started if needed, for a folder. Existing jobs keep their agent. */
export async function connectLocal(
  { localAccess, localAvailable }: Pick<App, 'localAccess' | 'localAvailable'>,
  about: vscode.Uri | undefined,
): Promise<Connected | undefined> {
  const folder = await chooseLocalFolder(localAvailable, about);
  if (folder === undefined) {
    return undefined;
  }
  const agent = await askForAgent(() => localAccess.agents());
  if (agent === undefined) {
    return undefined;
  }
  const project = await registerRepository(localAccess, folder);
  if (project === undefined) {
    return undefined;
  }
  if (agent.value !== settings.localJobs().agent) {
    await saveForUser(SETTINGS.agent, agent.value);
  }
  if (!settings.usesLocalService()) {
    await saveForUser(SETTINGS.service, 'local');
  }
  const [title, name] = [toLabel(agent.title, 60), toLabel(project.name, 60)];
  return {
    text: `${vscode.l10n.t('Local service running. {0} handles jobs for {1}.', title, name)} ${toNotice(sandboxText(agent), 400)}`,
    isConfirmed: true,
  };
}

/** Asks which of the installed agents to use. A missing one shows how to get it, and the agents are looked up again. */
async function askForAgent(find: () => Promise<AgentsAnswer>): Promise<Asked | undefined> {
  const title = vscode.l10n.t('Starting the local service and looking for coding agents…');
  for (;;) {
    let answer: AgentsAnswer;
    try {
      answer = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, find);
    } catch (error) {
      void showErrorWithLog(toNotice(error instanceof ServiceError ? reasonText(error) : String(error), 400));
      return undefined;
    }
    const items = agentItems(answer);
    const isNone = items.every(({ choice }) => choice === undefined);
    const picked = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Choose a coding agent'),
      placeHolder: isNone
        ? vscode.l10n.t('No coding agent is installed. Select one to see how to install it.')
        : vscode.l10n.t('Works in a private clone, not in your files.'),
      matchOnDetail: true,
      ignoreFocusOut: true,
    });
    if (picked?.missing === undefined) {
      return picked?.choice && { ...picked.choice, sandbox: answer.sandbox };
    }
    if (!(await showHowToGet(picked.missing))) {
      return undefined;
    }
  }
}

function agentItems({ agents, chosen }: AgentsAnswer): AgentItem[] {
  const found = agents.filter(({ path }) => path !== null);
  const missing = agents.filter(({ path }) => path === null);
  const { command } = settings.localJobs();
  const automatic = agents.find(({ name }) => name === chosen);
  const items: AgentItem[] = [];
  if (automatic !== undefined) {
    items.push({
      label: `$(check) ${vscode.l10n.t('Automatic')}`,
      description: toPickLabel(vscode.l10n.t('currently {0}', automatic.title)),
      choice: { value: 'auto', title: automatic.title },
    });
  }
  if (command.length > 0) {
    items.push({
      label: `$(settings-gear) ${vscode.l10n.t('Custom command')}`,
      detail: toPickLabel(command.join(' ')),
      choice: { value: 'custom', title: command[0]?.split(/[/\\]/).at(-1) ?? '' },
    });
  }
  const heading = (label: string): AgentItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  return [
    ...items,
    ...(found.length === 0 ? [] : [heading(vscode.l10n.t('Installed'))]),
    ...found.map(({ name, title, path }) => ({
      label: `$(terminal) ${toPickLabel(title)}`,
      detail: toPickLabel(path ?? ''),
      choice: { value: name, title },
    })),
    ...(missing.length === 0 ? [] : [heading(vscode.l10n.t('Not found'))]),
    // The heading says that they are missing: a row has space for one line.
    ...missing.map((agent) => ({
      label: `$(circle-slash) ${toPickLabel(agent.title)}`,
      detail: toPickLabel(lacksAdapter(agent) ? serviceText(agent.coded, agent.how) : howToGet(agent)),
      missing: agent,
    })),
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
