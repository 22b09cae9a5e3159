import * as vscode from 'vscode';

/**
 * Shows a notification about uncommitted changes, with a button that opens the Source Control view.
 *
 * @param text escaped for a notification
 */
export async function showWithSourceControl(
  text: string,
  severity: 'information' | 'warning' = 'warning',
): Promise<void> {
  const open = vscode.l10n.t('Open Source Control');
  const { showInformationMessage, showWarningMessage } = vscode.window;
  if ((await (severity === 'warning' ? showWarningMessage : showInformationMessage)(text, open)) === open) {
    await vscode.commands.executeCommand('workbench.view.scm');
  }
}
