import * as vscode from 'vscode';

/** Copies a prompt to the clipboard. */
export async function copyPrompt(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(vscode.l10n.t('Prompt copied'), 3000);
}
