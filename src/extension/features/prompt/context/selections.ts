import * as vscode from 'vscode';
import { symbolBlock } from '../../../../prompt/blocks';
import { BUDGETS } from '../../../../prompt/budgets';
import { type SelectedText, selectionBlocks } from '../../../../prompt/promptText';
import { type AnySymbol, symbolAt } from '../../../../prompt/symbolAt';
import type { Collected } from '../box/contextInserter';
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
  const place = filePlace(document.uri);
  return editor.selections
    .filter((selection) => !selection.isEmpty && document.getText(selection).trim() !== '')
    .toSorted((a, b) => a.start.compareTo(b.start))
    .map((selection) => ({
      ...place,
      uri: document.uri,
      startLine: selection.start.line + 1,
      // A selection that ends at column 0 does not include that line.
      endLine: selection.end.character === 0 ? selection.end.line : selection.end.line + 1,
      languageId: document.languageId,
      text: document.getText(selection),
    }));
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
    return nothing(leftOut.sentence(name));
  }
  const symbols = await vscode.commands.executeCommand<AnySymbol[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    document.uri,
  );
  if (symbols === undefined || symbols.length === 0) {
    const language = document.languageId;
    return nothing(
      vscode.l10n.t(
        'VS Code has no symbols for “{0}”. Install an extension for {1}, or add the text as a selection.',
        name,
        language,
      ),
    );
  }
  const found = symbolAt(symbols, at);
  if (found === undefined) {
    return nothing(vscode.l10n.t('Place the cursor on a symbol in “{0}” first.', name));
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

function nothing(why: string): Collected {
  return { blocks: [], refused: [why] };
}
