import * as vscode from 'vscode';

/** Warns, with a button that runs a command. */
export async function offer(text: string, label: string, command: string, argument?: unknown): Promise<void> {
  if ((await vscode.window.showWarningMessage(text, label)) === label) {
    await vscode.commands.executeCommand(command, argument);
  }
}

export async function offerFolder(text: string): Promise<void> {
  await offer(text, vscode.l10n.t('Open Folder…'), 'vscode.openFolder');
}
