import * as vscode from 'vscode';
import { ServiceError } from '../../../protocol/errors';
import type { AgentsAnswer } from '../../../protocol/localService';
import { SETTINGS, SETTINGS_SECTION } from '../../ids';
import type { ApiKeys } from '../../platform/apiKeys';
import type { LocalAccess } from '../../platform/localAccess';
import { parseBaseUrl } from '../../platform/baseUrl';
import { reasonText } from '../../presentation/errorText';
import { serviceText } from '../../presentation/serviceText';
import { settings } from '../../settings';
import { type Facts, type Flow, folderOf, hostedOf, keyOf, type Problem, projectOf, type Scope, scopeOf } from './flow';

/** Starts the local service and queries which agents are installed. */
export function findAgents(access: LocalAccess): {
  title: string;
  work: Promise<{ answer: AgentsAnswer } | { problem: Problem }>;
} {
  const work = access.agents().then(
    (answer) => ({ answer }),
    (error: unknown) => ({ problem: notStarted(error) }),
  );
  return { title: vscode.l10n.t('Starting the local service and looking for coding agents…'), work };
}

/** The project and agent with which the local service can run a folder's jobs. */
export interface LocalProject {
  name: string;
  agent: string;
}

/**
 * Registers the folder's repository with the local service and checks that the chosen agent is installed. Existing jobs
 * keep their agent.
 */
export async function checkLocal(
  access: LocalAccess,
  { draft }: Flow,
  facts: Facts,
): Promise<{ project: LocalProject } | { problem: Problem }> {
  const { id, name } = folderOf(draft, facts);
  const folder = vscode.Uri.parse(id).fsPath;
  try {
    const present = settings.localJobs();
    const { name: project, agent } = await access.register(folder);
    const wanted = draft.agent ?? present.agent;
    const title = wanted === present.agent ? agent?.title : titleAmong(await access.agents(), wanted, present.command);
    return title === undefined
      ? { problem: { step: 'agent', text: vscode.l10n.t('This agent isn’t installed. Choose another one.') } }
      : { project: { name: project, agent: title } };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'rejected') {
      return { problem: notStarted(error) };
    }
    const text = serviceText(error.coded, error.detail).replaceAll(folder, name);
    return { problem: { step: 'obstacle', obstacle: 'repository', text } };
  }
}

/** The service does not check a custom command before its first job. */
function titleAmong({ agents, chosen }: AgentsAnswer, wanted: string, command: readonly string[]): string | undefined {
  if (wanted === 'custom') {
    return command[0]?.split(/[/\\]/).at(-1);
  }
  const name = wanted === 'auto' ? chosen : wanted;
  return agents.find((agent) => agent.name === name && agent.path !== null)?.title;
}

function notStarted(error: unknown): Problem {
  const text = error instanceof ServiceError ? reasonText(error) : String(error);
  return { step: 'obstacle', obstacle: 'notStarted', text };
}

const TARGETS: Record<Scope, vscode.ConfigurationTarget> = {
  folder: vscode.ConfigurationTarget.WorkspaceFolder,
  workspace: vscode.ConfigurationTarget.Workspace,
  user: vscode.ConfigurationTarget.Global,
};

/**
 * Saves the answers for a hosted service, if they differ from the current settings. The folder's setting is first,
 * because it is the most likely to fail, and the key last, because storing it sends waiting prompts.
 */
export async function writeHosted(keys: ApiKeys, { draft }: Flow, facts: Facts): Promise<void> {
  const folder = folderOf(draft, facts);
  const scope = scopeOf(draft, facts);
  if (scope !== undefined) {
    const section = vscode.workspace.getConfiguration(
      SETTINGS_SECTION,
      folder.id === '' ? null : vscode.Uri.parse(folder.id),
    );
    await section.update(SETTINGS.projectId, projectOf(draft, facts), TARGETS[scope]);
  }
  const hosted = hostedOf(draft, facts);
  const present = parseBaseUrl(settings.baseUrl());
  if (hosted !== undefined && ('problem' in present || present.baseUrl !== hosted.baseUrl)) {
    await writeForUser(SETTINGS.baseUrl, hosted.baseUrl);
  }
  if (settings.usesLocalService()) {
    await writeForUser(SETTINGS.service, 'hosted');
  }
  const key = keyOf(draft, facts);
  if (hosted !== undefined && key !== undefined) {
    await keys.set(hosted.origin, key);
  }
}

/** Saved for the user, because these settings decide where a key is sent and what is run. */
async function writeForUser(name: string, value: unknown): Promise<void> {
  const section = vscode.workspace.getConfiguration(SETTINGS_SECTION);
  await section.update(name, value, vscode.ConfigurationTarget.Global);
}

/** Saves the answers for the local service, if they differ from the current settings. */
export async function writeLocal(agent: string | undefined): Promise<void> {
  if (agent !== undefined && agent !== settings.localJobs().agent) {
    await writeForUser(SETTINGS.agent, agent);
  }
  if (!settings.usesLocalService()) {
    await writeForUser(SETTINGS.service, 'local');
  }
}
