import * as vscode from 'vscode';
import { SETTINGS, SETTINGS_SECTION } from '../ids';
import type { ApiKeys } from '../services/apiKeys';
import { parseBaseUrl } from '../services/serviceUrl';
import { settings } from '../settings';
import { type Facts, type Flow, type Scope, folderOf, hostedOf, keyOf, projectOf, scopeOf } from './flow';

const TARGETS: Record<Scope, vscode.ConfigurationTarget> = {
  folder: vscode.ConfigurationTarget.WorkspaceFolder,
  workspace: vscode.ConfigurationTarget.Workspace,
  user: vscode.ConfigurationTarget.Global,
};

/**
 * Writes what the flow for a hosted service came to, and only what is not so already. The settings of the folder go
 * first, because they are the likeliest to fail, and the key last, because waiting prompts go with it.
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

/** Application settings: they decide where a key goes and what runs. */
async function writeForUser(name: string, value: unknown): Promise<void> {
  const section = vscode.workspace.getConfiguration(SETTINGS_SECTION);
  await section.update(name, value, vscode.ConfigurationTarget.Global);
}

/** The same for the local service. */
export async function writeLocal(agent: string | undefined): Promise<void> {
  if (agent !== undefined && agent !== settings.localJobs().agent) {
    await writeForUser(SETTINGS.agent, agent);
  }
  if (!settings.usesLocalService()) {
    await writeForUser(SETTINGS.service, 'local');
  }
}
