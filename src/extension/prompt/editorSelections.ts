import * as vscode from 'vscode';
import type { SelectedText } from '../../prompt/selectionPrompt';

/** What is selected in the active editor, all cursors, in the order of the document; empty ones are left out. */
export function editorSelections(): SelectedText[] {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return [];
  }
  const { document } = editor;
  return editor.selections
    .filter((selection) => !selection.isEmpty && document.getText(selection).trim() !== '')
    .toSorted((a, b) => a.start.compareTo(b.start))
    .map((selection) => ({
      path: vscode.workspace.asRelativePath(document.uri, false),
      startLine: selection.start.line + 1,
      // A selection that ends before the first character of a line does not reach into it.
      endLine: selection.end.character === 0 ? selection.end.line : selection.end.line + 1,
      languageId: document.languageId,
      notes: [],
      text: document.getText(selection),
    }));
}
