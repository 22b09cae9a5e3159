import * as vscode from 'vscode';
import { COMMANDS } from './ids';
import { serviceName } from './services/apiKeys';
import { toNotice } from './text';

/**
 * Tells that the key of a service is missing or was rejected. It is shown as progress, because that is the only notice
 * which an extension can take back: it goes by itself when there is another key. Resolves when it is gone.
 */
export function showKeyNotice(service: string, isMissing: boolean, until: Promise<void>): Thenable<void> {
  const host = serviceName(service);
  const text = isMissing
    ? vscode.l10n.t('There is no API key for {0}. Enter one: until then nothing is sent or checked there.', host)
    : vscode.l10n.t(
        '{0} rejected the API key: it is wrong or has expired. Enter another one: until then nothing is sent or checked there.',
        host,
      );
  const title = `${toNotice(text, 400)} [${vscode.l10n.t('Enter key')}](command:${COMMANDS.setApiKey})`;
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, (progress, token) => {
    // So that the bar does not move: nothing is being done.
    progress.report({ increment: 0 });
    return Promise.race([until, new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()))]);
  });
}
