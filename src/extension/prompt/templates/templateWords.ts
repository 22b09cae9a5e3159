import * as vscode from 'vscode';
import type { TemplateProblem } from '../../../prompt/template/parseTemplate';
import type { VariableName } from '../../../prompt/template/variables';

const { t } = vscode.l10n;

/** What a variable stands for, in a sentence or two. */
export function variableText(name: VariableName): string {
  switch (name) {
    case 'selection':
      return t('The selected text with its place, as a block of its own.');
    case 'symbol':
      return t('The function, class or other symbol under the cursor, as a block of its own.');
    case 'changes':
      return t('Changes of the repository as a diff, as a block of its own.');
    case 'file':
      return t(
        'The full path of the file in the editor, on this machine. An agent elsewhere can’t find it by that: see “relativeFile”.',
      );
    case 'relativeFile':
      return t('The path of the file in the editor, from its folder of the workspace.');
    case 'branch':
      return t('The name of the branch that is checked out.');
    case 'input':
      return t('An answer that you type. The question stands after the colon; equal questions are asked once.');
    case 'pick':
      return t('One of the choices after the colon, divided by “|”. Equal lists are asked once.');
  }
}

/** The variable as it is written, with what goes after its name. */
export function variableForm(name: VariableName): string {
  switch (name) {
    case 'input':
      return `\${input:${t('Question')}}`;
    case 'pick':
      return `\${pick:${t('one|another')}}`;
    default:
      return `\${${name}}`;
  }
}

/** What is wrong with what looks like a variable, and what to do. */
export function templateProblemText({ kind, name }: TemplateProblem, nearest: string | undefined): string {
  switch (kind) {
    case 'unknown':
      return nearest === undefined
        ? t('There is no variable “{0}”. Put a backslash before it where it is meant as text.', name)
        : t('There is no variable “{0}”. Did you mean “{1}”?', name, nearest);
    case 'argument':
      return t('The variable “{0}” takes nothing after its name. Remove what stands there.', name);
    case 'question':
      return t('What is to be asked? Write it after a colon: {0}.', variableForm('input'));
    case 'choices':
      return t('There is nothing to choose. Write two choices or more: {0}.', variableForm('pick'));
    case 'unclosed':
      return t(
        'The closing brace is missing on this line. Put a backslash before “{0}” where it is meant as text.',
        '${',
      );
  }
}
