import * as vscode from 'vscode';
import type { App } from '../../app';
import { isLoopback } from '../../../base/network';
import type { ServiceLocation } from '../../../jobs/events';
import { ServiceError } from '../../../protocol/errors';
import { SETTINGS } from '../../ids';
import { serviceName } from '../../platform/apiKeys';
import { parseBaseUrl } from '../../platform/baseUrl';
import { askForKey, rejectedKeyText } from '../../platform/keyPrompt';
import type { Proof } from '../../platform/serviceAccess';
import { reasonText } from '../../presentation/errorText';
import { addressProblemText, askForProject, chooseFolder } from '../../sending/projects';
import { saveForUser, settings } from '../../settings';
import { knownJob, tryKey } from './apiKey';
import type { Connected } from './connect';

/** What a service says about a key or project that it does not reject outright: it can be saved, with a warning. */
const ANSWERED: ReadonlySet<string> = new Set(['forbidden', 'limit', 'rejected', 'notFound']);

/**
 * Sets up a hosted service. The key is tested by requesting a job, which is free of charge and creates nothing.
 *
 * @param address undefined to ask for it
 * @param about see {@link chooseFolder}
 */
export async function connectHosted(
  { access, keys, store }: Pick<App, 'access' | 'keys' | 'store'>,
  address: string | undefined,
  about: vscode.Uri | undefined,
): Promise<Connected | undefined> {
  const url = parseBaseUrl(address ?? (await askForAddress()) ?? '');
  const folder = 'problem' in url ? 'cancelled' : await chooseFolder(about);
  if ('problem' in url || folder === 'cancelled') {
    return undefined;
  }
  const { origin, baseUrl } = url;
  const project = await askForProject(origin, folder, settings.projectId(folder?.uri));
  if (project === undefined) {
    return undefined;
  }
  const location: ServiceLocation = { service: origin, baseUrl, projectId: project.projectId };
  const jobId = knownJob(store.jobs, location)?.snapshot?.id;
  const test: { found: Proof | ServiceError } = { found: 'answered' };
  const check = async (key: string): Promise<string | undefined> => {
    const found = await tryKey(access, location, { key: key === '' ? undefined : key, jobId });
    test.found = found;
    if (!(found instanceof ServiceError) || ANSWERED.has(found.kind)) {
      return undefined;
    }
    return found.kind === 'unauthorized'
      ? rejectedKeyText()
      : vscode.l10n.t('{0} Press Enter to retry.', reasonText(found));
  };
  const key = await askForKey(origin, { isStored: (await keys.get(origin)) !== undefined, check });
  if (key === undefined) {
    return undefined;
  }
  // The folder's setting is the most likely to fail. The key is last, because storing it sends waiting prompts.
  await project.save();
  const saved = parseBaseUrl(settings.baseUrl());
  if ('problem' in saved || saved.baseUrl !== baseUrl) {
    await saveForUser(SETTINGS.baseUrl, baseUrl);
  }
  if (settings.usesLocalService()) {
    await saveForUser(SETTINGS.service, 'hosted');
  }
  if (key !== '') {
    await keys.set(origin, key);
  }
  return { text: doneText(location, test.found), isConfirmed: !(test.found instanceof ServiceError) };
}

async function askForAddress(): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('URL of the hosted service'),
    prompt: vscode.l10n.t(
      'Enter a URL that starts with https:// (http:// for this machine only). The API key is sent only to this URL.',
    ),
    placeHolder: 'https://docs-agent.example.com',
    ignoreFocusOut: true,
    validateInput: (value) => {
      const url = parseBaseUrl(withScheme(value));
      return 'problem' in url ? addressProblemText(url.problem) : undefined;
    },
  });
  return typed === undefined ? undefined : withScheme(typed);
}

/** Puts `http://` in front of an address of this machine that has no scheme. */
function withScheme(typed: string): string {
  const url = `http://${typed.trim()}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname) ? url : typed.trim();
}

function doneText({ service, projectId }: ServiceLocation, found: Proof | ServiceError): string {
  const name = serviceName(service);
  if (found instanceof ServiceError) {
    return vscode.l10n.t('Saved project “{1}” on {0}, but the test failed. {2}', name, projectId, reasonText(found));
  }
  return found === 'read'
    ? vscode.l10n.t('Connected to project “{1}” on {0}.', name, projectId)
    : vscode.l10n.t('Connected to {0}. Project “{1}” will be verified when you send the first job.', name, projectId);
}
