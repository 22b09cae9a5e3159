import * as vscode from 'vscode';

/**
 * The name or question of a shipped template in the language of the editor. What goes to the agent stays English, and so
 * does the name by which a setting changes or hides a template.
 */
export function translateShipped(text: string): string {
  const translations: Readonly<Record<string, string>> = {
    'Document my changes': vscode.l10n.t('Document my changes'),
    'Update this page': vscode.l10n.t('Update this page'),
    'What should be different on this page?': vscode.l10n.t('What should be different on this page?'),
    'Explain this symbol with an example': vscode.l10n.t('Explain this symbol with an example'),
    'Write a how-to': vscode.l10n.t('Write a how-to'),
    'What should the reader be able to do in the end?': vscode.l10n.t(
      'What should the reader be able to do in the end?',
    ),
    'Fix outdated statements': vscode.l10n.t('Fix outdated statements'),
    'Which pages or which part of the product?': vscode.l10n.t('Which pages or which part of the product?'),
    'Release notes from changes': vscode.l10n.t('Release notes from changes'),
    'Which version?': vscode.l10n.t('Which version?'),
  };
  return Object.hasOwn(translations, text) ? (translations[text] ?? text) : text;
}
