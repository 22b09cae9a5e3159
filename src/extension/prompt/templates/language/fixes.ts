import * as vscode from 'vscode';
import { nearestVariable } from '../../../../prompt/template/nearestVariable';
import { templateKind } from '../templateDocument';
import { SOURCE } from './diagnostics';

/** What can be done about the problems of a template: the name that was probably meant, or a backslash that makes it text. */
export function fixes(document: vscode.TextDocument, problems: readonly vscode.Diagnostic[]): vscode.CodeAction[] {
  return problems.filter(({ source }) => source === SOURCE).flatMap((problem) => fixesOf(document, problem));
}

function fixesOf(document: vscode.TextDocument, problem: vscode.Diagnostic): vscode.CodeAction[] {
  const { code, range } = problem;
  if (code !== 'unknown' && code !== 'unclosed') {
    return [];
  }
  const name = /^\$\{([^}:]*)/.exec(document.getText(range))?.[1] ?? '';
  const nearest = code === 'unknown' ? nearestVariable(name) : undefined;
  const nameStart = range.start.translate(0, 2);
  const meant = new vscode.Range(nameStart, nameStart.translate(0, name.length));
  const backslash = templateKind(document) === 'settings' ? '\\\\' : '\\';
  const asText = fix(
    document,
    problem,
    vscode.l10n.t('Make it plain text'),
    new vscode.Range(range.start, range.start),
    backslash,
  );
  if (nearest === undefined) {
    return [asText];
  }
  const change = fix(document, problem, vscode.l10n.t('Change to “{0}”', nearest), meant, nearest);
  change.isPreferred = true;
  return [change, asText];
}

function fix(
  { uri }: vscode.TextDocument,
  problem: vscode.Diagnostic,
  title: string,
  range: vscode.Range,
  text: string,
): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = [problem];
  action.edit = new vscode.WorkspaceEdit();
  action.edit.replace(uri, range, text);
  return action;
}
