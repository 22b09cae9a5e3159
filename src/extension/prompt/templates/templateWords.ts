import * as vscode from 'vscode';
import type { TemplateProblem } from '../../../prompt/template/parseTemplate';
import type { VariableName } from '../../../prompt/template/variables';

/** What a variable stands for, in a sentence or two. */
export function variableText(name: VariableName): string {
  switch (name) {
    case 'selection':
      return vscode.l10n.t('The selected text with its place, as a block of its own.');
    case 'symbol':
      return vscode.l10n.t('The function, class or other symbol under the cursor, as a block of its own.');
    case 'changes':
      return vscode.l10n.t('Changes of the repository as a diff, as a block of its own.');
    case 'file':
      return vscode.l10n.t(
        'The full path of the file in the editor, on this machine. An agent elsewhere can’t find it by that: see “relativeFile”.',
      );
    case 'relativeFile':
      return vscode.l10n.t('The path of the file in the editor, from its folder of the workspace.');
    case 'branch':
      return vscode.l10n.t('The name of the branch that is checked out.');
    case 'input':
      return vscode.l10n.t(
        'An answer that you type. The question stands after the colon; equal questions are asked once.',
      );
    case 'pick':
      return vscode.l10n.t('One of the choices after the colon, divided by “|”. Equal lists are asked once.');
  }
}

/** The variable as it is written, with what goes after its name. */
export function variableForm(name: VariableName): string {
  switch (name) {
    case 'input':
      return `\${input:${vscode.l10n.t('Question')}}`;
    case 'pick':
      return `\${pick:${vscode.l10n.t('one|another')}}`;
    default:
      return `\${${name}}`;
  }
}

/** What is wrong with what looks like a variable, and what to do. */
export function templateProblemText({ kind, name }: TemplateProblem, nearest: string | undefined): string {
  switch (kind) {
    case 'unknown':
      return nearest === undefined
        ? vscode.l10n.t('There is no variable “{0}”. Put a backslash before it where it is meant as text.', name)
        : vscode.l10n.t('There is no variable “{0}”. Did you mean “{1}”?', name, nearest);
    case 'argument':
      return vscode.l10n.t('The variable “{0}” takes nothing after its name. Remove what stands there.', name);
    case 'question':
      return vscode.l10n.t('What is to be asked? Write it after a colon: {0}.', variableForm('input'));
    case 'choices':
      return vscode.l10n.t('There is nothing to choose. Write two choices or more: {0}.', variableForm('pick'));
    case 'unclosed':
      return vscode.l10n.t(
        'The closing brace is missing on this line. Put a backslash before “{0}” where it is meant as text.',
        '${',
      );
  }
}
