import * as vscode from 'vscode';
import { editorOf, type Replacement, replaceIn, wholeOf } from './replaceIn';

/** Puts a block of text on lines of its own, where the cursor is or below all there is; throws when it can't. */
export async function insertBlock(given: vscode.TextEditor, block: string, where: 'cursor' | 'end'): Promise<void> {
  const { document } = given;
  await replaceIn(document, () => {
    const end = wholeOf(document).end;
    const { active } = (editorOf(document, given) ?? given).selection;
    return blockAt(document, where === 'cursor' ? document.validatePosition(active) : end, block, where);
  });
  const editor = editorOf(document, given);
  editor?.revealRange(new vscode.Range(editor.selection.active, editor.selection.active));
}

function blockAt(
  document: vscode.TextDocument,
  at: vscode.Position,
  block: string,
  where: 'cursor' | 'end',
): Replacement {
  const all = wholeOf(document);
  const before = document.getText(all.with({ end: at }));
  const after = document.getText(all.with({ start: at }));
  const lead = before.trim() === '' ? '' : '\n'.repeat(Math.max(0, 2 - trailingBreaks(before)));
  const tail = after.trim() !== '' ? '\n\n' : where === 'cursor' ? '\n' : '';
  return { range: new vscode.Range(at, at), text: `${lead}${block.trim()}${tail}` };
}

/** 0, 1 or 2; a prompt's document may have carriage returns. */
function trailingBreaks(text: string): number {
  return /(?:\r?\n){0,2}$/.exec(text.slice(-4))?.[0].replaceAll('\r', '').length ?? 0;
}
