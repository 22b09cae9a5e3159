import * as vscode from 'vscode';

/**
 * What people see of the templates that are shipped, in the language of the editor: names, questions and choices. What goes
 * to the agent stays English, and so does the name by which a setting changes or hides a template.
 */
export function shippedWords(): (text: string) => string {
  const words = new Map(
    Object.entries({
      'Document my changes': vscode.l10n.t('Document my changes'),
      'Update this page': vscode.l10n.t('Update this page'),
      'What should be different on this page?': vscode.l10n.t('What should be different on this page?'),
      'Explain this symbol with an example': vscode.l10n.t('Explain this symbol with an example'),
      'Write a how-to': vscode.l10n.t('Write a how-to'),
      'What should the reader be able to do in the end?': vscode.l10n.t(
        'What should the reader be able to do in the end?',
      ),
      'people who are new to it': vscode.l10n.t('people who are new to it'),
      'people who use it every day': vscode.l10n.t('people who use it every day'),
      'people who run it for others': vscode.l10n.t('people who run it for others'),
      'Fix outdated statements': vscode.l10n.t('Fix outdated statements'),
      'Which pages or which part of the product?': vscode.l10n.t('Which pages or which part of the product?'),
      'Release notes from changes': vscode.l10n.t('Release notes from changes'),
      'Which version?': vscode.l10n.t('Which version?'),
      'users of the product': vscode.l10n.t('users of the product'),
      'developers who build on it': vscode.l10n.t('developers who build on it'),
      'people who run it': vscode.l10n.t('people who run it'),
    }),
  );
  return (text) => words.get(text) ?? text;
}
