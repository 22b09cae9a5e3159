import type * as vscode from 'vscode';
import { BUDGETS } from '../../../prompt/budgets';
import { type SelectedText, selectionBlocks } from '../../../prompt/selectionPrompt';
import type { Collected } from '../promptDesk';
import { documentPlace } from './filePlace';
import type { NotesOf } from '../visibility/notesOf';

/** Text that was selected, and where it came from, for its notes. */
export interface TakenSelection extends SelectedText {
  uri: vscode.Uri;
}

/** What is selected in an editor now, all cursors, in the order of the document; empty ones are left out. */
export function selectionsOf(editor: vscode.TextEditor | undefined): TakenSelection[] {
  if (editor === undefined) {
    return [];
  }
  const { document } = editor;
  const place = documentPlace(document);
  return editor.selections
    .filter((selection) => !selection.isEmpty && document.getText(selection).trim() !== '')
    .toSorted((a, b) => a.start.compareTo(b.start))
    .map((selection) => ({
      ...place,
      uri: document.uri,
      startLine: selection.start.line + 1,
      // A selection that ends before the first character of a line does not reach into it.
      endLine: selection.end.character === 0 ? selection.end.line : selection.end.line + 1,
      languageId: document.languageId,
      text: document.getText(selection),
    }));
}

/** The same with what else is known of each place. */
export function withNotes(selections: readonly TakenSelection[], notesOf: NotesOf): Promise<SelectedText[]> {
  return Promise.all(
    selections.map(async (selection) => ({
      ...selection,
      notes: [...selection.notes, ...(await notesOf(selection))],
    })),
  );
}

/** The selections as context that the user sees before it goes, within its budget. */
export async function collectSelections(selections: readonly TakenSelection[], notesOf: NotesOf): Promise<Collected> {
  return { blocks: selectionBlocks(await withNotes(selections, notesOf), BUDGETS.selections), refused: [] };
}
