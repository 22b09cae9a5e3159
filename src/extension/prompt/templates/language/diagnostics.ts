import * as vscode from 'vscode';
import { type HeaderProblemKind, readFrontMatter } from '../../../../prompt/template/frontMatter';
import { nearestVariable } from '../../../../prompt/template/nearestVariable';
import { parseTemplate } from '../../../../prompt/template/parseTemplate';
import { headerProblemText } from '../headerWords';
import { templateKind } from '../templateDocument';
import { templateProblemText } from '../templateWords';
import { rangeIn, spotsIn } from './spots';

/** Marks our diagnostics among those of others. */
export const SOURCE = 'Docs Agent';

/** Nobody reads more of them at once. */
const MOST_PROBLEMS = 200;

/** What is wrong with the templates of a document. */
export function diagnostics(document: vscode.TextDocument): vscode.Diagnostic[] {
  const inTexts = spotsIn(document)
    .flatMap((spot) => parseTemplate(spot.text).problems.map((problem) => ({ spot, problem })))
    .slice(0, MOST_PROBLEMS)
    .map(({ spot, problem }) => {
      const words = templateProblemText(problem, nearestVariable(problem.name));
      return made(rangeIn(document, spot, problem), words, vscode.DiagnosticSeverity.Warning, problem.kind);
    });
  return [...inTexts, ...(templateKind(document) === 'file' ? inHeader(document) : [])];
}

function inHeader(document: vscode.TextDocument): vscode.Diagnostic[] {
  return readFrontMatter(document.getText()).problems.map((problem) => {
    const range = new vscode.Range(document.positionAt(problem.start), document.positionAt(problem.end));
    return made(range, headerProblemText(problem), severityOf(problem.kind), problem.kind);
  });
}

function severityOf(kind: HeaderProblemKind): vscode.DiagnosticSeverity {
  return kind === 'unknownKey' || kind === 'noName'
    ? vscode.DiagnosticSeverity.Hint
    : vscode.DiagnosticSeverity.Warning;
}

function made(range: vscode.Range, text: string, severity: vscode.DiagnosticSeverity, code: string): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(range, text, severity);
  diagnostic.source = SOURCE;
  diagnostic.code = code;
  return diagnostic;
}
