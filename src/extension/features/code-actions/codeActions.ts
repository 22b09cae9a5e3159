import * as vscode from 'vscode';
import { CHECK_SOURCE } from '../../ids';
import { toLabel } from '../../platform/sanitize';
import { settings } from '../../settings';
import { CODE_ACTION_KIND } from './registerCodeActions';
import { type AnySymbol, type SymbolCache, symbolNamedAt } from './symbolNamedAt';

/** What a comment that asks for documentation says. Capitals, because “todo” is also a word. */
const REQUEST = /\b(?:TODO|DOCS?)\b/;

/** A location as the commands expect it. Lines and columns are 1-based. */
interface PlaceArgument {
  uri: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

/** Returns what the agent can be asked to do here; empty if nothing applies, so that no lightbulb is shown. */
export async function provideCodeActions(
  document: vscode.TextDocument,
  range: vscode.Range,
  context: vscode.CodeActionContext,
  token: vscode.CancellationToken,
  kept: SymbolCache<vscode.TextDocument, AnySymbol>,
): Promise<vscode.CodeAction[]> {
  const place: PlaceArgument = {
    uri: document.uri.toString(),
    line: range.start.line + 1,
    column: range.start.character + 1,
    endLine: range.end.line + 1,
    endColumn: range.end.character + 1,
  };
  const wanted = settings.codeActions();
  const selected = !range.isEmpty && wanted.includes('selection') && document.getText(range).trim() !== '';
  const symbol = wanted.includes('symbol') ? await symbolNamedAt(document, range, token, kept) : undefined;
  const actions: vscode.CodeAction[] = [];
  if (symbol !== undefined) {
    const name = toLabel(symbol, 40);
    actions.push(action('symbol', vscode.l10n.t('Document “{0}” with Docs Agent', name), place));
  }
  if (selected || symbol !== undefined) {
    actions.push(action('update', vscode.l10n.t('Update docs with Docs Agent'), place));
  }
  if (wanted.includes('comment') && REQUEST.test(document.lineAt(range.start.line).text)) {
    actions.push(action('comment', vscode.l10n.t('Act on this comment with Docs Agent'), place));
  }
  // The findings of a documentation check have fixes of their own.
  const problems = context.diagnostics.filter(({ source }) => source !== CHECK_SOURCE);
  if (wanted.includes('problem') && problems.length > 0) {
    const title = vscode.l10n.t('Send this problem to Docs Agent');
    actions.push(action('problem', title, place));
  }
  return actions;
}

function action(what: string, title: string, place: PlaceArgument): vscode.CodeAction {
  const made = new vscode.CodeAction(title, CODE_ACTION_KIND.append(what));
  made.command = { command: 'docsAgent.document', title, arguments: [{ what, ...place }] };
  return made;
}
