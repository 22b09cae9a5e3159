import * as vscode from 'vscode';
import { type ServiceLocation, LOCAL_SERVICE } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import type { Poller } from '../../jobs/poller';
import { isListed, waitsForKey } from '../../jobs/trackedJob';
import { settings } from '../settings';
import { type ApiKeys, DEFAULT_ORIGIN, type KeyProblem, keyProblem, serviceName } from './apiKeys';
import { isRefused } from './keyNotices';
import { parseBaseUrl } from './baseUrl';

/**
 * Prompts for the key of a hosted service in a masked box. Returns the key without storing it, or undefined when
 * cancelled.
 *
 * @param rejected whether the service has just rejected a key
 */
export async function askForKey(service: string, rejected = false): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: rejected
      ? vscode.l10n.t('{0} rejected the API key. Enter a new one', serviceName(service))
      : vscode.l10n.t('API key for {0}', serviceName(service)),
    prompt: keyBoxText(service),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => keyProblemText(keyProblem(value, service)),
  });
}

/** Prompts for a key and stores it. Used after a service has rejected the stored key. */
export async function replaceKey(keys: ApiKeys, service: string, rejected: boolean): Promise<boolean> {
  const key = await askForKey(service, rejected);
  if (key !== undefined) {
    await keys.set(service, key);
  }
  return key !== undefined;
}

/** Describes which key is needed and where it is sent. */
export function keyBoxText(service: string): string {
  return service === DEFAULT_ORIGIN
    ? vscode.l10n.t(
        'Paste an admin API key from the dashboard. It’s stored on this machine and sent only to {0}.',
        service,
      )
    : vscode.l10n.t(
        'Paste the API key from the service’s administrator or dashboard. It’s stored on this machine and sent only to {0}.',
        service,
      );
}

/** Describes what is wrong with an entered key; undefined if the key may be tried. */
export function keyProblemText(problem: KeyProblem | undefined): string | undefined {
  switch (problem) {
    case undefined:
      return undefined;
    case 'empty':
      return vscode.l10n.t('Enter the key, or press Escape to cancel.');
    case 'whitespace':
      return vscode.l10n.t('A key can’t contain spaces or line breaks. Copy it again.');
    case 'nonAscii':
      return vscode.l10n.t('The key contains characters that aren’t allowed. Copy it again.');
    case 'otherKind':
      return vscode.l10n.t('Keys that start with mint_dsc_ or mint_us_ don’t work here. Create an admin API key.');
    case 'prefix':
      return vscode.l10n.t('Admin API keys for this service start with mint_.');
  }
}

export interface HomeNeedingKeyOptions {
  store: JobStore;
  poller: Poller;
  keys: ApiKeys;
}

/**
 * Returns the service whose key is missing or was rejected while the list has jobs. Services of existing jobs come
 * before that of new jobs, because a job stays with its service when the settings change. Undefined if no key is
 * needed.
 */
export async function homeNeedingKey({
  store,
  poller,
  keys,
}: HomeNeedingKeyOptions): Promise<ServiceLocation | undefined> {
  const listed = store.jobs.filter(isListed);
  const refused = listed.find((job) => isRefused(job, poller));
  if (refused !== undefined) {
    return refused.home;
  }
  const next = hostedService();
  const homes = [
    ...listed.filter((job) => job.prompts.some(waitsForKey)).map((job) => job.home),
    ...(listed.length > 0 && next ? [next] : []),
  ];
  for (const home of homes) {
    if (home.service !== LOCAL_SERVICE && (await keys.get(home.service)) === undefined) {
      return home;
    }
  }
  return undefined;
}

/**
 * Returns where the settings send new jobs, without a project; undefined for the local service or an invalid base URL.
 */
export function hostedService(): ServiceLocation | undefined {
  const url = parseBaseUrl(settings.baseUrl());
  return settings.usesLocalService() || 'problem' in url
    ? undefined
    : { service: url.origin, baseUrl: url.baseUrl, projectId: '' };
}
