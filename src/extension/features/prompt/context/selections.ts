import * as vscode from 'vscode';
import { symbolBlock } from '../../../../prompt/blocks';
import { BUDGETS } from '../../../../prompt/budgets';
import { type SelectedText, selectionBlocks } from '../../../../prompt/promptText';
import { type AnySymbol, symbolAt } from '../../../../prompt/symbolAt';
import { type Collected, refusal } from '../box/contextInserter';
import { baseName, filePlace, type NotesOf } from './places';
import { whyLeftOut } from './files';

/** Selected text and its source, which is used for the notes. */
export interface TakenSelection extends SelectedText {
  uri: vscode.Uri;
}

/** The nonempty selections of an editor (all cursors), in document order. */
export function selectionsOf(editor: vscode.TextEditor | undefined): TakenSelection[] {
  if (editor === undefined) {
    return [];
  }
  const { document } = editor;
  return editor.selections
    .filter((selection) => !selection.isEmpty && document.getText(selection).trim() !== '')
    .toSorted((a, b) => a.start.compareTo(b.start))
    .map((selection) => takeFrom(document, selection));
}

export function takeFrom(document: vscode.TextDocument, range: vscode.Range): TakenSelection {
  const { start, end } = range;
  return {
    ...filePlace(document.uri),
    uri: document.uri,
    startLine: start.line + 1,
    // A range that ends at column 0 does not include that line.
    endLine: end.character === 0 ? Math.max(end.line, start.line + 1) : end.line + 1,
    languageId: document.languageId,
    text: document.getText(range),
  };
}

/** Adds the notes on each place. */
export function withNotes(selections: readonly TakenSelection[], notesOf: NotesOf): Promise<SelectedText[]> {
  return Promise.all(
    selections.map(async (selection) => ({
      ...selection,
      notes: [...selection.notes, ...(await notesOf(selection))],
    })),
  );
}

/** The selections as context that the user sees before it is sent, within its budget. */
export async function collectSelections(selections: readonly TakenSelection[], notesOf: NotesOf): Promise<Collected> {
  return { blocks: selectionBlocks(await withNotes(selections, notesOf), BUDGETS.selections), refused: [] };
}

/** Collects the innermost symbol at a place. Refuses ignored files. */
export async function collectSymbol(
  document: vscode.TextDocument,
  at: vscode.Position,
  notesOf: NotesOf,
): Promise<Collected> {
  const name = baseName(document.uri);
  const leftOut = (await whyLeftOut([document.uri])).get(document.uri.toString());
  if (leftOut !== undefined) {
    return refusal(leftOut.sentence(name));
  }
  const symbols = await vscode.commands.executeCommand<AnySymbol[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    document.uri,
  );
  if (symbols === undefined || symbols.length === 0) {
    const text = vscode.l10n.t(
      'VS Code has no symbols for “{0}”. Install an extension for {1}, or add the text as a selection.',
      name,
      document.languageId,
    );
    return refusal(text);
  }
  const found = symbolAt(symbols, at);
  if (found === undefined) {
    return refusal(vscode.l10n.t('Place the cursor on a symbol in “{0}” first.', name));
  }
  const start = found.range.start.line;
  // A range that ends at column 0 does not include that line.
  const end = found.range.end.character === 0 ? found.range.end.line - 1 : found.range.end.line;
  const last = Math.max(end, start);
  const text = document.getText(new vscode.Range(start, 0, last, document.lineAt(last).text.length));
  const { path, notes } = filePlace(document.uri);
  const place = { startLine: start + 1, endLine: last + 1, text };
  const symbol = {
    ...place,
    path,
    notes: [...notes, ...(await notesOf({ uri: document.uri, ...place }))],
    languageId: document.languageId,
    ...inWords(found.kind, found.names, document.languageId),
  };
  return { blocks: [symbolBlock(symbol, BUDGETS.symbol)], refused: [] };
}

/** In Markdown, symbols are headings, whose names contain dots of their own. */
function inWords(kind: number, names: readonly string[], languageId: string): { kind: string; fullName: string } {
  if (languageId === 'markdown') {
    return { kind: 'Section', fullName: names.map((name) => name.replace(/^#+\s*/, '')).join(' › ') };
  }
  return { kind: vscode.SymbolKind[kind] ?? 'Symbol', fullName: names.join('.') };
}
