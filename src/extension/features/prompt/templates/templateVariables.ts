import * as vscode from 'vscode';
import { backslashesBefore, type VariableName, VARIABLES } from '../../../../prompt/promptTemplate';

/** Describes a variable in a sentence or two. */
export function variableText(name: VariableName): string {
  switch (name) {
    case 'selection':
      return vscode.l10n.t('The selected text with its location, as a block.');
    case 'symbol':
      return vscode.l10n.t('The function, class, or other symbol at the cursor, as a block.');
    case 'changes':
      return vscode.l10n.t('The repository’s changes, as a diff block.');
    case 'file':
      return vscode.l10n.t(
        'The file’s full path on this machine. Agents on other machines can’t use it; see “relativeFile”.',
      );
    case 'relativeFile':
      return vscode.l10n.t('The file’s path in its workspace folder.');
    case 'branch':
      return vscode.l10n.t('The name of the current branch.');
    case 'input':
      return vscode.l10n.t(
        'A value to fill in. Put the question after the colon. Identical questions are filled in together.',
      );
    case 'pick':
      return vscode.l10n.t(
        'One of the choices after the colon, separated by “|”. Identical lists are filled in together.',
      );
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
