import * as vscode from 'vscode';

/** Says that comments were put into a prompt and were not in what was sent. */
export function tellLeft(count: number): void {
  const text =
    count === 1
      ? vscode.l10n.t('One comment was not in the follow-up any more. It was not sent, and stays at its line.')
      : vscode.l10n.t(
          '{0} comments were not in the follow-up any more. They were not sent, and stay at their lines.',
          count,
        );
  void vscode.window.showInformationMessage(text);
}

/** Says that a comment was changed here and in another window. */
export function tellBothKept(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Another window changed this comment meanwhile. Your text is kept as a comment of its own.'),
  );
}
