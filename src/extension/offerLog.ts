import * as vscode from 'vscode';
import { COMMANDS } from './ids';

/**
 * Tells of a failure and offers the log. With a button, because VS Code cuts a notification without one to a single
 * line.
 *
 * @param text escaped for a notification
 */
export async function offerLog(text: string): Promise<void> {
  const log = vscode.l10n.t('Show log');
  if ((await vscode.window.showWarningMessage(text, log)) === log) {
    await vscode.commands.executeCommand(COMMANDS.showLog);
  }
}
