import * as vscode from 'vscode';

const { t } = vscode.l10n;

/**
 * What people see of the templates that are shipped, in the language of the editor: names, questions and choices. What goes
 * to the agent stays English, and so does the name by which a setting changes or hides a template.
 */
export function shippedWords(): (text: string) => string {
  const words = new Map(
    Object.entries({
      'Document my changes': t('Document my changes'),
      'Update this page': t('Update this page'),
      'What should be different on this page?': t('What should be different on this page?'),
      'Explain this symbol with an example': t('Explain this symbol with an example'),
      'Write a how-to': t('Write a how-to'),
      'What should the reader be able to do in the end?': t('What should the reader be able to do in the end?'),
      'people who are new to it': t('people who are new to it'),
      'people who use it every day': t('people who use it every day'),
      'people who run it for others': t('people who run it for others'),
      'Fix outdated statements': t('Fix outdated statements'),
      'Which pages or which part of the product?': t('Which pages or which part of the product?'),
      'Release notes from changes': t('Release notes from changes'),
      'Which version?': t('Which version?'),
      'users of the product': t('users of the product'),
      'developers who build on it': t('developers who build on it'),
      'people who run it': t('people who run it'),
    }),
  );
  return (text) => words.get(text) ?? text;
}
