import * as vscode from 'vscode';

/** That a text which is shown holds characters that can't be seen; undefined when there are none. */
export function invisibleWords(count: number): string | undefined {
  if (count === 0) {
    return undefined;
  }
  return count === 1
    ? vscode.l10n.t('1 invisible character is written as ⟨U+…⟩.')
    : vscode.l10n.t('{0} invisible characters are written as ⟨U+…⟩.', numberText(count));
}

/** A number with the separators of the editor's language. */
export function numberText(count: number): string {
  return count.toLocaleString(vscode.env.language);
}
