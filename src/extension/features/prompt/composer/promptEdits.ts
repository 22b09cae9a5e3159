import * as vscode from 'vscode';

/** A range and the text that replaces it. */
export interface Replacement {
  range: vscode.Range;
  text: string | vscode.SnippetString;
}

/** Maximum number of attempts, and the longest wait between two of them, in milliseconds. */
const MAX_TRIES = 200;
const MAX_WAIT_MS = 30;

/**
 * Edits a document that the user may be typing in. VS Code rejects an edit made for an older version of the text, so
 * `make` is called again for each attempt; it returns undefined when there is nothing left to do. Throws when every
 * attempt was rejected.
 */
export async function replaceIn(document: vscode.TextDocument, make: () => Replacement | undefined): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const wanted = make();
    if (wanted === undefined || (await tryEdit(document, wanted))) {
      return;
    }
    await waitForSelectionChange(document);
  }
  throw new Error(vscode.l10n.t('the prompt’s text keeps changing'));
}

/**
 * Inserts a block of text at the cursor, on separate lines; throws on failure. Placeholders and choices of a snippet are
 * handled by the editor.
 */
export async function insertBlock(given: vscode.TextEditor, block: string | vscode.SnippetString): Promise<void> {
  const { document } = given;
  await replaceIn(document, () => {
    const { active } = (editorOf(document, given) ?? given).selection;
    return blockAt(document, document.validatePosition(active), block);
  });
  const editor = editorOf(document, given);
  editor?.revealRange(new vscode.Range(editor.selection.active, editor.selection.active));
}

function blockAt(
  document: vscode.TextDocument,
  at: vscode.Position,
  block: string | vscode.SnippetString,
): Replacement {
  const before = document.getText(new vscode.Range(new vscode.Position(0, 0), at));
  const after = document.getText(new vscode.Range(at, document.lineAt(document.lineCount - 1).range.end));
  const lead = before.trim() === '' ? '' : '\n'.repeat(Math.max(0, 2 - trailingBreaks(before)));
  const tail = after.trim() === '' ? '\n' : '\n\n';
  const range = new vscode.Range(at, at);
  return typeof block === 'string'
    ? { range, text: `${lead}${block.trim()}${tail}` }
    : { range, text: new vscode.SnippetString(lead + block.value + tail) };
}

/** Returns 0, 1 or 2. A prompt's document may have carriage returns. */
function trailingBreaks(text: string): number {
  return /(?:\r?\n){0,2}$/.exec(text.slice(-4))?.[0].replaceAll('\r', '').length ?? 0;
}

/** Returns an editor that shows the document, preferring the given one. */
function editorOf(document: vscode.TextDocument, first?: vscode.TextEditor): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const shown = visibleTextEditors.filter((editor) => editor.document.uri.toString() === document.uri.toString());
  return shown.find((editor) => editor === first) ?? shown.find((editor) => editor === activeTextEditor) ?? shown[0];
}

async function tryEdit(document: vscode.TextDocument, { range, text }: Replacement): Promise<boolean> {
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
    // If the editor has just been closed, the next attempt edits the document without one.
    if (editorOf(document) === editor) {
      throw error;
    }
    return false;
  }
}

/**
 * Resolves at the document's next selection change (the next keystroke), when the extension host's view of text and
 * cursor is current, or after a short time without one.
 */
function waitForSelectionChange({ uri }: vscode.TextDocument): Promise<void> {
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
