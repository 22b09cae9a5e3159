import * as vscode from 'vscode';
import { type ServiceLocation, LOCAL_SERVICE } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import type { Poller } from '../../jobs/poller';
import { isListed, waitsForKey } from '../../jobs/trackedJob';
import { settings } from '../settings';
import { type ApiKeys, DEFAULT_ORIGIN, type KeyProblem, keyProblem, serviceName } from './apiKeys';
import { isRefused } from './keyNotices';
import { parseBaseUrl } from './baseUrl';
import { toBoxLine } from './sanitize';

/** The length of the line below an input box, in characters. */
const MAX_PROBLEM = 1_000;

/** What to tell about a key, and how to test it. */
export interface KeyQuestion {
  /** The service has just rejected a key. */
  isRejected?: boolean;
  /** A key is stored, which an empty box keeps. */
  isStored?: boolean;
  /** Returns why the key can't be used; the box stays open. */
  check?: (key: string) => Promise<string | undefined>;
}

/**
 * Prompts for the key of a hosted service in a masked box. Returns the key without storing it, or undefined when
 * cancelled.
 */
export async function askForKey(service: string, question: KeyQuestion = {}): Promise<string | undefined> {
  const { isRejected = false, isStored = false, check } = question;
  const name = serviceName(service);
  const prompt = isStored
    ? vscode.l10n.t('A key for {0} is already saved. Leave empty to keep it, or paste a new one.', service)
    : keyBoxText(service);
  const box = vscode.window.createInputBox();
  box.title = isRejected
    ? vscode.l10n.t('{0} rejected the API key. Enter a new one', name)
    : vscode.l10n.t('API key for {0}', name);
  box.prompt = prompt;
  box.placeholder = isStored ? vscode.l10n.t('Leave empty to keep the saved key') : '';
  box.password = true;
  box.ignoreFocusOut = true;
  const validate = (key: string): string | undefined =>
    key === '' && isStored ? undefined : keyProblemText(keyProblem(key, service));
  const test = async (key: string): Promise<string | undefined> => {
    box.busy = true;
    box.prompt = vscode.l10n.t('Testing the connection to {0}…', name);
    const problem = await check?.(key);
    box.prompt = prompt;
    box.busy = false;
    // It may quote the service, and a link in it would run any command.
    return problem && toBoxLine(problem, MAX_PROBLEM);
  };
  const accept = async (use: (key: string) => void): Promise<void> => {
    const key = box.value;
    const problem = validate(key) ?? (await test(key));
    if (problem === undefined) {
      use(key);
    } else {
      box.validationMessage = problem;
      box.valueSelection = [0, key.length];
    }
  };
  try {
    return await new Promise((resolve, reject) => {
      box.onDidHide(() => resolve(undefined));
      box.onDidChangeValue((key) => (box.validationMessage = key === '' ? undefined : validate(key)));
      box.onDidAccept(() => {
        if (!box.busy) {
          accept(resolve).catch(reject);
        }
      });
      box.show();
    });
  } finally {
    box.dispose();
  }
}

/** Prompts for a key and stores it. Used after a service has rejected the stored key. */
export async function replaceKey(keys: ApiKeys, service: string, isRejected: boolean): Promise<boolean> {
  const key = await askForKey(service, { isRejected });
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

/** Says that the service does not accept an entered key. */
export function rejectedKeyText(): string {
  return vscode.l10n.t('The service rejected this key. It may be wrong or expired. Paste another one.');
}

/** Describes what is wrong with an entered key; undefined if the key may be tried. */
export function keyProblemText(problem: KeyProblem | undefined): string | undefined {
  const texts: Record<KeyProblem, string> = {
    empty: vscode.l10n.t('Enter the key, or press Escape to cancel.'),
    whitespace: vscode.l10n.t('A key can’t contain spaces or line breaks. Copy it again.'),
    nonAscii: vscode.l10n.t('The key contains characters that aren’t allowed. Copy it again.'),
    otherKind: vscode.l10n.t('Keys that start with mint_dsc_ or mint_us_ don’t work here. Create an admin API key.'),
    prefix: vscode.l10n.t('Admin API keys for this service start with mint_.'),
  };
  return problem && texts[problem];
}

export interface LocationNeedingKeyOptions {
  store: JobStore;
  poller: Poller;
  keys: ApiKeys;
}

/**
 * Returns the service whose key is missing or was rejected while the list has jobs. Services of existing jobs come
 * before that of new jobs, because a job stays with its service when the settings change. Undefined if no key is
 * needed.
 */
export async function locationNeedingKey({
  store,
  poller,
  keys,
}: LocationNeedingKeyOptions): Promise<ServiceLocation | undefined> {
  const listed = store.jobs.filter(isListed);
  const refused = listed.find((job) => isRefused(job, poller));
  if (refused !== undefined) {
    return refused.location;
  }
  const next = hostedService();
  const locations = [
    ...listed.filter((job) => job.prompts.some(waitsForKey)).map((job) => job.location),
    ...(listed.length > 0 && next ? [next] : []),
  ];
  for (const location of locations) {
    if (location.service !== LOCAL_SERVICE && (await keys.get(location.service)) === undefined) {
      return location;
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
