import * as vscode from 'vscode';
import { isPathSafeId } from '../../shared/protocol/pathSafeId';
import type { BaseUrlProblem } from './serviceUrl';

/** Key and project ID stand on the same page: a key that was pasted here must not end in the settings. */
export function projectIdProblem(id: string): string | undefined {
  if (id.startsWith('mint_')) {
    return vscode.l10n.t('This looks like an API key. The project ID stands beside it.');
  }
  return isPathSafeId(id) && !/\s/.test(id) ? undefined : vscode.l10n.t('A project ID is one word without spaces.');
}

/** What is wrong with the address of a hosted service. */
export function addressProblemText(problem: BaseUrlProblem): string {
  return {
    invalid: vscode.l10n.t('The base URL of the service is not an address. Enter one such as https://api.example.com.'),
    insecure: vscode.l10n.t('The base URL must begin with https:// (http:// only for this machine).'),
    userInfo: vscode.l10n.t('The base URL must hold no user name or password. Remove them.'),
    query: vscode.l10n.t('The base URL must hold no “?” or “#”. Remove it.'),
  }[problem];
}
