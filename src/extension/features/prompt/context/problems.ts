import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { OUTSIDE_NOTE, type Problem, problemsBlock } from '../../../../prompt/blocks';
import { BUDGETS, count, shareBudget } from '../../../../prompt/budgets';
import type { ContextBlock } from '../../../../prompt/contextBlock';
import { withoutLocalPaths } from '../../../../prompt/promptText';
import type { Collected } from '../box/contextInserter';
import { canBeContext, filePlace, type NotesOf } from './places';
import { type LeftOut, readText, whyLeftOut } from './files';

/** Maximum number of files whose problems are added to a prompt. */
const MAX_FILES = 20;

export interface ProblemFile {
  uri: vscode.Uri;
  diagnostics: readonly vscode.Diagnostic[];
}

/** The problems of one file, or of the selections in it. */
export function problemsOf(uri: vscode.Uri, selections: readonly vscode.Selection[] = []): ProblemFile {
  const chosen = selections.filter(({ isEmpty }) => !isEmpty);
  const all = vscode.languages.getDiagnostics(uri);
  const meant = ({ range }: vscode.Diagnostic): boolean =>
    chosen.length === 0 || chosen.some((selection) => selection.intersection(range) !== undefined);
  return { uri, diagnostics: all.filter(meant) };
}

/** All files with problems, those with errors first. */
export function allProblems(): ProblemFile[] {
  const worst = ({ diagnostics }: ProblemFile): number => Math.min(...diagnostics.map(({ severity }) => severity));
  return vscode.languages
    .getDiagnostics()
    .map(([uri, diagnostics]) => ({ uri, diagnostics }))
    .filter(({ uri, diagnostics }) => diagnostics.length > 0 && canBeContext(uri))
    .toSorted((a, b) => worst(a) - worst(b));
}

/**
 * Collects the problems with the surrounding code, one block per file. Leaves out the code of a file that could not be
 * added itself.
 */
export async function collectProblems(files: readonly ProblemFile[], notesOf: NotesOf): Promise<Collected> {
  const listed = files.filter(({ diagnostics }) => diagnostics.length > 0).slice(0, MAX_FILES);
  const leftOut = await whyLeftOut(listed.map(({ uri }) => uri));
  const whole = await Promise.all(listed.map((file) => blockOf(file, leftOut, notesOf)));
  const budget = listed.length === 1 ? BUDGETS.problems : BUDGETS.allProblems;
  const lengths = whole.map((block) => Math.min(block(Infinity).text.length, BUDGETS.problems));
  const shares = shareBudget(lengths, budget);
  const blocks = whole.map((block, index) => block(shares[index] ?? 0));
  const rest = files.slice(MAX_FILES);
  return { blocks: rest.length === 0 ? blocks : [...blocks, notListed(rest)], refused: [] };
}

async function blockOf(
  { uri, diagnostics }: ProblemFile,
  leftOut: ReadonlyMap<string, LeftOut>,
  notesOf: NotesOf,
): Promise<(budget: number) => ContextBlock> {
  const { path, notes } = filePlace(uri);
  const hidden = notes.includes(OUTSIDE_NOTE) ? 'not in the workspace' : leftOut.get(uri.toString())?.inPrompt;
  const read = hidden === undefined ? await readText(uri) : undefined;
  const more = read !== undefined && 'text' in read ? await notesOf({ uri }) : [];
  const why = hidden === undefined ? [] : [`The code is not shown: ${hidden}.`];
  const problems = diagnostics.map(toProblem).toSorted((a, b) => a.line - b.line);
  const lines = read !== undefined && 'text' in read ? read.text.split(/\r?\n/) : [];
  const file = { path, notes: [...notes, ...why, ...more], problems, lines };
  return (budget) => problemsBlock(file, budget);
}

/** The prompt itself says what was left out. */
function notListed(files: readonly ProblemFile[]): ContextBlock {
  const problems = files.reduce((sum, { diagnostics }) => sum + diagnostics.length, 0);
  const text = `… ${count(problems, 'problem')} in ${count(files.length, 'more file')} left out`;
  return { heading: 'Further problems', notes: [], languageId: 'text', text };
}

const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;

function toProblem({ severity, message, source, code, range }: vscode.Diagnostic): Problem {
  const name = typeof code === 'object' ? code.value : code;
  const folders = (vscode.workspace.workspaceFolders ?? []).map((each) => ({ path: each.uri.fsPath, name: each.name }));
  return {
    severity: SEVERITIES[severity],
    message: withoutLocalPaths(message, folders, homedir()),
    source,
    code: name === undefined ? undefined : String(name),
    line: range.start.line + 1,
  };
}
