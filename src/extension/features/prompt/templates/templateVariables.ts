import * as vscode from 'vscode';
import { backslashesBefore, type VariableName, VARIABLES } from '../../../../prompt/promptTemplate';

/** Describes a variable in a sentence or two. */
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
        'A place for you to fill in, with the question after the colon. Equal questions are filled in together.',
      );
    case 'pick':
      return vscode.l10n.t('One of the choices after the colon, separated by “|”. Equal lists are filled in together.');
  }
}

/** Returns the syntax of a variable, including its argument. */
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

/** Completes variables after a `${` in a template file. */
export function completeVariables(document: vscode.TextDocument, at: vscode.Position): vscode.CompletionItem[] {
  const before = document.getText(new vscode.Range(at.line, 0, at.line, at.character));
  const [typed] = /\$\{\w*$/.exec(before) ?? [];
  // After a backslash, `${` is plain text.
  if (typed === undefined || backslashesBefore(before, before.length - typed.length) % 2 === 1) {
    return [];
  }
  // The editor inserts the closing brace when the opening one is typed.
  const closed = document.getText(new vscode.Range(at, at.translate(0, 1))) === '}';
  const range = new vscode.Range(at.translate(0, -typed.length), closed ? at.translate(0, 1) : at);
  return VARIABLES.map((name, index) => {
    const label = { label: name, description: variableForm(name) };
    const item = new vscode.CompletionItem(label, vscode.CompletionItemKind.Variable);
    item.documentation = variableText(name);
    item.filterText = `\${${name}}`;
    item.sortText = String(index);
    item.insertText = snippetOf(name);
    item.range = range;
    return item;
  });
}

function snippetOf(name: VariableName): vscode.SnippetString {
  const snippet = new vscode.SnippetString();
  if (name === 'input') {
    return snippet.appendText('${input:').appendPlaceholder(vscode.l10n.t('Question')).appendText('}');
  }
  if (name === 'pick') {
    const first = snippet.appendText('${pick:').appendPlaceholder(vscode.l10n.t('one')).appendText('|');
    return first.appendPlaceholder(vscode.l10n.t('another')).appendText('}');
  }
  return snippet.appendText(`\${${name}}`);
}
