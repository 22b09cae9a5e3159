import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../jobs/events';
import { type ApiKeys, serviceName } from './apiKeys';
import { type KeyProblem, keyProblem } from './keyRules';

const { t } = vscode.l10n;

/**
 * Asks for the key of a hosted service in a masked box and keeps it. Returns the key, or undefined when cancelled.
 *
 * @param rejected the service has just refused the present key
 */
export async function askForKey(keys: ApiKeys, service: string, rejected = false): Promise<string | undefined> {
  const key = await vscode.window.showInputBox({
    title: rejected
      ? t('{0} rejected the API key: enter a new one', serviceName(service))
      : t('API key for {0}', serviceName(service)),
    prompt: t(
      'An administrator key for your whole organisation, from the API keys page of the dashboard. It is kept on this machine only and sent to {0} only.',
      service,
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => problemText(keyProblem(value.trim(), service)),
  });
  if (key === undefined || service === LOCAL_SERVICE) {
    return undefined;
  }
  await keys.set(service, key.trim());
  return key.trim();
}

function problemText(problem: KeyProblem | undefined): string | undefined {
  switch (problem) {
    case undefined:
      return undefined;
    case 'empty':
      return t('Enter the key, or press Escape to leave things as they are.');
    case 'whitespace':
      return t('A key has no spaces and no line breaks. Copy it again.');
    case 'nonAscii':
      return t('A key has only plain letters, digits and signs. Copy it again.');
    case 'otherKind':
      return t(
        'This is a key of another kind (assistant or user). Create an administrator key, which begins with mint_.',
      );
    case 'prefix':
      return t('An administrator key of this service begins with mint_.');
  }
}
