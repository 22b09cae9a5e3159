import * as vscode from 'vscode';
import { HEADER_KEYS, type HeaderProblem } from '../../../prompt/template/frontMatter';

/** What is wrong with the header of a template file, and what to do. */
export function headerProblemText({ kind, detail }: HeaderProblem): string {
  switch (kind) {
    case 'unclosed':
      return vscode.l10n.t('The header has no end. Put a line with three dashes below it.');
    case 'yaml':
      return vscode.l10n.t('The header can’t be read: {0}.', detail);
    case 'shape':
      return vscode.l10n.t(
        'The header can’t be read: write one key with its value a line, as in “name: Write a guide”.',
      );
    case 'value':
      return vscode.l10n.t('The value of “{0}” is no text. Put it in quotation marks.', detail);
    case 'unknownKey':
      return vscode.l10n.t(
        'Nothing reads “{0}” in the header of a template. Use one of these: {1}.',
        detail,
        HEADER_KEYS.join(', '),
      );
    case 'noName':
      return vscode.l10n.t('The header holds no name: the file’s name stands for it.');
  }
}

/** The same where only what costs the template something is worth a word. */
export function headerFlaw(problem: HeaderProblem): string | undefined {
  return problem.kind === 'unknownKey' || problem.kind === 'noName' ? undefined : headerProblemText(problem);
}
