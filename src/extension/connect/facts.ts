import * as vscode from 'vscode';
import { SETTINGS, SETTINGS_SECTION } from '../ids';
import type { ApiKeys } from '../services/apiKeys';
import { DEFAULT_ORIGIN } from '../services/keyRules';
import { parseBaseUrl } from '../services/serviceUrl';
import { settings } from '../settings';
import { type Draft, type Facts, type FolderFacts, type Problem, type Scope, hostedOf } from './flow';

export interface FactsOptions {
  keys: ApiKeys;
  localAvailable: boolean;
}

/** How things are now, as far as this draft makes it interesting. Asks nobody. */
export async function gatherFacts({ keys, localAvailable }: FactsOptions, draft: Draft): Promise<Facts> {
  const present = parseBaseUrl(settings.baseUrl());
  const open = vscode.workspace.workspaceFolders ?? [];
  const [first, ...others] = draft.service === 'local' ? open.filter(({ uri }) => uri.scheme === 'file') : open;
  const facts: Facts = {
    address: 'problem' in present ? DEFAULT_ORIGIN : present.baseUrl,
    folders: [folderFacts(first), ...others.map(folderFacts)],
    storedKeys: new Set<string>(),
    blocked: whyNotLocal(localAvailable),
  };
  const origin = hostedOf(draft, facts)?.origin;
  const isKept = origin !== undefined && (await keys.get(origin)) !== undefined;
  return { ...facts, storedKeys: new Set(isKept ? [origin] : []) };
}

function folderFacts(folder: vscode.WorkspaceFolder | undefined): FolderFacts {
  if (folder === undefined) {
    return { id: '', name: '', project: settings.projectId(), scopes: ['user'] };
  }
  const { uri, name } = folder;
  return { id: uri.toString(), name, project: settings.projectId(uri), scopes: scopesOf(uri) };
}

/** Only where the project would count: a folder's own setting goes before the workspace's, and that before the user's. */
function scopesOf(folder: vscode.Uri): Scope[] {
  if (!vscode.workspace.isTrusted) {
    return ['user'];
  }
  const set = vscode.workspace.getConfiguration(SETTINGS_SECTION, folder).inspect(SETTINGS.projectId);
  const isSeveral = vscode.workspace.workspaceFile !== undefined;
  if (isText(set?.workspaceFolderValue)) {
    return ['folder'];
  }
  const workspace: Scope[] = isSeveral ? ['workspace'] : [];
  return isText(set?.workspaceValue) ? ['folder', ...workspace] : ['folder', ...workspace, 'user'];
}

/** An empty project counts as none for us, but hides those of wider settings all the same. */
function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function whyNotLocal(localAvailable: boolean): Problem | undefined {
  const problem = (obstacle: Problem['obstacle'], text: string): Problem => ({ step: 'obstacle', obstacle, text });
  if (!localAvailable) {
    return problem(
      'remote',
      vscode.l10n.t(
        'The local service runs where the repository is, and this extension runs on the other side of the connection.',
      ),
    );
  }
  if (!vscode.workspace.isTrusted) {
    return problem(
      'untrusted',
      vscode.l10n.t('The local service runs programs on this folder’s files. Trust the workspace first.'),
    );
  }
  const onDisk = vscode.workspace.workspaceFolders?.some(({ uri }) => uri.scheme === 'file') ?? false;
  return onDisk
    ? undefined
    : problem('noFolder', vscode.l10n.t('The local service works on a git repository. Open its folder first.'));
}
