import * as vscode from 'vscode';
import type { ServiceLocation } from '../../../jobs/events';
import type { JobStore } from '../../../jobs/jobStore';
import { ServiceError } from '../../../protocol/errors';
import { SETTINGS, SETTINGS_SECTION } from '../../ids';
import { type ApiKeys, DEFAULT_ORIGIN } from '../../platform/apiKeys';
import { parseBaseUrl } from '../../platform/baseUrl';
import { type Proof, type ServiceAccess } from '../../platform/serviceAccess';
import { reasonText } from '../../presentation/errorText';
import { settings } from '../../settings';
import { knownJob } from './apiKey';
import {
  type Draft,
  type Facts,
  type Flow,
  type FolderFacts,
  hostedOf,
  keyOf,
  type Problem,
  projectOf,
  type Scope,
} from './flow';

/** Checks the draft's hosted service by requesting a job, which is free of charge and creates nothing. */
export async function checkHosted(
  { access, store }: { access: ServiceAccess; store: JobStore },
  { draft }: Flow,
  facts: Facts,
): Promise<{ proof: Proof } | { problem: Problem }> {
  const hosted = hostedOf(draft, facts);
  if (hosted === undefined) {
    return { problem: { step: 'address', text: '' } };
  }
  const home: ServiceLocation = { service: hosted.origin, baseUrl: hosted.baseUrl, projectId: projectOf(draft, facts) };
  try {
    const jobId = knownJob(store.jobs, home)?.snapshot?.id;
    return { proof: await access.check(home, { key: keyOf(draft, facts), jobId }) };
  } catch (error) {
    const known =
      error instanceof ServiceError ? error : new ServiceError('notUnderstood', { effect: 'none', cause: error });
    return { problem: problemOf(known) };
  }
}

/** Returns the problem for the step that is most likely to fix it. */
function problemOf(error: ServiceError): Problem {
  switch (error.kind) {
    case 'unauthorized':
      return {
        step: 'key',
        text: vscode.l10n.t(
          'The service rejected this key. It may be wrong or expired. Paste another one, or go back.',
        ),
      };
    case 'forbidden':
    case 'limit':
      return { step: 'key', text: retryText(error), canKeep: true };
    case 'rejected':
    case 'notFound':
      return { step: 'project', text: retryText(error), canKeep: true };
    case 'unreachable':
    case 'timeout':
    case 'notUnderstood':
    case 'aborted':
      return { step: 'address', text: retryText(error), canKeep: true };
  }
}

function retryText(error: ServiceError): string {
  return vscode.l10n.t('{0} Press Enter to retry, or save without testing.', reasonText(error));
}

export interface FactsOptions {
  keys: ApiKeys;
  localAvailable: boolean;
}

/** Collects the facts that this draft needs. Never prompts. */
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

/**
 * Only the scopes in which a project would take effect: folder settings override workspace settings, which override
 * user settings.
 */
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

/** An empty project counts as none here, but still overrides those of wider settings. */
function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function whyNotLocal(localAvailable: boolean): Problem | undefined {
  const problem = (obstacle: Problem['obstacle'], text: string): Problem => ({ step: 'obstacle', obstacle, text });
  if (!localAvailable) {
    return problem(
      'remote',
      vscode.l10n.t(
        'The local service has to run where the repository is, but this extension runs on your own machine.',
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
    : problem('noFolder', vscode.l10n.t('The local service needs a Git repository. Open its folder first.'));
}
