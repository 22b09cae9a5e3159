import * as vscode from 'vscode';

/** What is to stand in place of a range. */
export interface Replacement {
  range: vscode.Range;
  text: string | vscode.SnippetString;
}

/** How often a change is tried, and the longest wait before it is tried again, in milliseconds. */
const MAX_TRIES = 200;
const MAX_WAIT_MS = 30;

/**
 * Changes a document in which somebody may be typing: the editor takes a change only for the text that it was made for.
 * `make` is asked anew for each try, and answers undefined when nothing is left to do. Throws when no try was taken.
 */
export async function replaceIn(document: vscode.TextDocument, make: () => Replacement | undefined): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const wanted = make();
    if (wanted === undefined || (await isTaken(document, wanted))) {
      return;
    }
    await nextMoment(document);
  }
  throw new Error(vscode.l10n.t('the text of the prompt changes all the time'));
}

/**
 * Puts a block of text on lines of its own, where the cursor is or below all there is; throws when it can't. The
 * placeholders and choices of a snippet are the editor's.
 */
export async function insertBlock(
  given: vscode.TextEditor,
  block: string | vscode.SnippetString,
  where: 'cursor' | 'end',
): Promise<void> {
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
  block: string | vscode.SnippetString,
  where: 'cursor' | 'end',
): Replacement {
  const all = wholeOf(document);
  const before = document.getText(all.with({ end: at }));
  const after = document.getText(all.with({ start: at }));
  const lead = before.trim() === '' ? '' : '\n'.repeat(Math.max(0, 2 - trailingBreaks(before)));
  const tail = after.trim() !== '' ? '\n\n' : where === 'cursor' ? '\n' : '';
  const range = new vscode.Range(at, at);
  return typeof block === 'string'
    ? { range, text: `${lead}${block.trim()}${tail}` }
    : { range, text: new vscode.SnippetString(lead + block.value + tail) };
}

/** 0, 1 or 2; a prompt's document may have carriage returns. */
function trailingBreaks(text: string): number {
  return /(?:\r?\n){0,2}$/.exec(text.slice(-4))?.[0].replaceAll('\r', '').length ?? 0;
}

/** An editor that shows the document, before others the one that is given. */
export function editorOf(document: vscode.TextDocument, first?: vscode.TextEditor): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const shown = visibleTextEditors.filter((editor) => editor.document.uri.toString() === document.uri.toString());
  return shown.find((editor) => editor === first) ?? shown.find((editor) => editor === activeTextEditor) ?? shown[0];
}

/** The whole text of a document as a range. */
export function wholeOf(document: vscode.TextDocument): vscode.Range {
  return new vscode.Range(new vscode.Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
}

async function isTaken(document: vscode.TextDocument, { range, text }: Replacement): Promise<boolean> {
  const editor = editorOf(document);
  if (editor === undefined) {
    const edit = new vscode.WorkspaceEdit();
    if (typeof text === 'string') {
      edit.replace(document.uri, range, text);
    } else {
      edit.set(document.uri, [new vscode.SnippetTextEdit(range, text)]);
    }
    return vscode.workspace.applyEdit(edit);
  }
  try {
    if (typeof text !== 'string') {
      return await editor.insertSnippet(text, range, {
        undoStopBefore: true,
        undoStopAfter: true,
        keepWhitespace: true,
      });
    }
    return await editor.edit((edit) => (range.isEmpty ? edit.insert(range.start, text) : edit.replace(range, text)));
  } catch (error) {
    // Its editor was closed just now: then the document is changed without one.
    if (editorOf(document) === editor) {
      throw error;
    }
    return false;
  }
}

/**
 * The moment after the next key, at which this side knows text and cursor as they are; or a short while, when no key comes.
 */
function nextMoment({ uri }: vscode.TextDocument): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      listening.dispose();
      clearTimeout(timer);
      resolve();
    };
    const listening = vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor.document.uri.toString() === uri.toString()) {
        done();
      }
    });
    const timer = setTimeout(done, MAX_WAIT_MS);
  });
}
