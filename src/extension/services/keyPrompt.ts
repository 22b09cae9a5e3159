import * as vscode from 'vscode';
import { type ApiKeys, serviceName } from './apiKeys';
import { type KeyProblem, keyProblem } from './keyRules';

/**
 * Asks for the key of a hosted service in a masked box. Returns the key, which is not kept yet, or undefined when
 * cancelled.
 *
 * @param rejected the service has just refused a key
 */
export async function askForKey(service: string, rejected = false): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: rejected
      ? vscode.l10n.t('{0} rejected the API key: enter a new one', serviceName(service))
      : vscode.l10n.t('API key for {0}', serviceName(service)),
    prompt: keyBoxText(service),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => keyProblemText(keyProblem(value, service)),
  });
}

/** The same, and keeps it: for a service that has refused the key which is stored. */
export async function replaceKey(keys: ApiKeys, service: string, rejected: boolean): Promise<boolean> {
  const key = await askForKey(service, rejected);
  if (key !== undefined) {
    await keys.set(service, key);
  }
  return key !== undefined;
}

/** Which key is asked for, and where it goes. */
export function keyBoxText(service: string): string {
  return vscode.l10n.t(
    'An administrator key for your whole organisation, from the API keys page of the dashboard. It is kept on this machine only and sent to {0} only.',
    service,
  );
}

/** What is wrong with a key that was typed; undefined for one that may be tried. */
export function keyProblemText(problem: KeyProblem | undefined): string | undefined {
  switch (problem) {
    case undefined:
      return undefined;
    case 'empty':
      return vscode.l10n.t('Enter the key, or press Escape to leave things as they are.');
    case 'whitespace':
      return vscode.l10n.t('A key has no spaces and no line breaks. Copy it again.');
    case 'nonAscii':
      return vscode.l10n.t('A key has only plain letters, digits and signs. Copy it again.');
    case 'otherKind':
      return vscode.l10n.t(
        'This is a key of another kind: those that begin with mint_dsc_ or mint_us_ don’t work here. Create an administrator key.',
      );
    case 'prefix':
      return vscode.l10n.t('An administrator key of this service begins with mint_.');
  }
}
