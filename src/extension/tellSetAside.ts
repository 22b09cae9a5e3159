import * as vscode from 'vscode';
import { toNotice } from './text';

/**
 * Tells that the local service's list of jobs was damaged and that a new one has begun.
 *
 * @param path where the damaged one is now
 */
export function tellSetAside(path: string): void {
  const text = vscode.l10n.t(
    'The local service’s list of jobs was damaged, and a new one has begun. The old one is kept as {0}. The branches and pull requests of earlier jobs are where they were.',
    toNotice(path),
  );
  // With a button, because VS Code cuts a notification without one to a single line.
  void vscode.window.showWarningMessage(text, vscode.l10n.t('OK'));
}
