import * as vscode from 'vscode';

/** Warns that a displayed text contains invisible characters; undefined if there are none. */
export function invisibleText(count: number): string | undefined {
  if (count === 0) {
    return undefined;
  }
  return count === 1
    ? vscode.l10n.t('1 invisible character is shown as ⟨U+…⟩.')
    : vscode.l10n.t('{0} invisible characters are shown as ⟨U+…⟩.', numberText(count));
}

/** Formats a number with the separators of the editor's language. */
export function numberText(count: number): string {
  return count.toLocaleString(vscode.env.language);
}
