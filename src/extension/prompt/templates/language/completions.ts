import * as vscode from 'vscode';
import { HEADER_KEYS, readFrontMatter } from '../../../../prompt/template/frontMatter';
import { backslashesBefore } from '../../../../prompt/template/parseTemplate';
import { VARIABLES, type VariableName } from '../../../../prompt/template/variables';
import { templateKind } from '../templateDocument';
import { variableForm, variableText } from '../templateWords';
import { spotsIn } from './spots';

/** Variables after a `${` of a template, and the keys of a template file's header. */
export function completions(document: vscode.TextDocument, at: vscode.Position): vscode.CompletionItem[] {
  const offset = document.offsetAt(at);
  const before = document.getText(new vscode.Range(at.line, 0, at.line, at.character));
  const [typed] = /\$\{\w*$/.exec(before) ?? [];
  if (typed === undefined) {
    return headerKeys(document, at, offset);
  }
  // In JSON a backslash is written as two.
  const slashes = backslashesBefore(before, before.length - typed.length);
  const isText = (slashes / (templateKind(document) === 'settings' ? 2 : 1)) % 2 === 1;
  const inside = spotsIn(document).some(
    ({ text, offsetOf }) => offsetOf(0) <= offset && offset <= offsetOf(text.length),
  );
  return inside && !isText ? variables(document, at, typed) : [];
}

function variables(document: vscode.TextDocument, at: vscode.Position, typed: string): vscode.CompletionItem[] {
  // The editor puts the closing brace behind the cursor when the opening one is typed.
  const closed = document.getText(new vscode.Range(at, at.translate(0, 1))) === '}';
  const range = new vscode.Range(at.translate(0, -typed.length), closed ? at.translate(0, 1) : at);
  return VARIABLES.map((name, index) => {
    const item = new vscode.CompletionItem(
      { label: name, description: variableForm(name) },
      vscode.CompletionItemKind.Variable,
    );
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

function headerKeys(document: vscode.TextDocument, at: vscode.Position, offset: number): vscode.CompletionItem[] {
  const source = document.getText();
  const start = document.lineAt(at.line).range.start;
  const before = document.getText(new vscode.Range(start, at));
  const { bodyStart } = readFrontMatter(source);
  if (templateKind(document) !== 'file' || at.line === 0 || offset >= bodyStart || !/^\w*$/.test(before)) {
    return [];
  }
  const header = source.slice(0, bodyStart);
  return HEADER_KEYS.filter((key) => !new RegExp(`^${key}\\s*:`, 'm').test(header)).map((key) => {
    const item = new vscode.CompletionItem(key, vscode.CompletionItemKind.Property);
    item.documentation =
      key === 'name'
        ? vscode.l10n.t('What the template is called in the list.')
        : vscode.l10n.t('When to use it, in a line.');
    item.insertText = `${key}: `;
    item.range = new vscode.Range(start, at);
    return item;
  });
}
