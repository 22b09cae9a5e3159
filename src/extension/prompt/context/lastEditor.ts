import * as vscode from 'vscode';
import { COMPOSER_SCHEME } from '../composer/composerTarget';
import { PREVIEW_SCHEME } from '../preview/previewUri';

/** Editors of the panel, the prompt itself and what is shown of it: nobody means their text by “the editor”. */
const NOT_MEANT = new Set([COMPOSER_SCHEME, PREVIEW_SCHEME, 'output', 'comment', 'vscode-scm']);

/** Whether text of such an address can be context of a prompt. */
export function canBeContext(uri: vscode.Uri): boolean {
  return !NOT_MEANT.has(uri.scheme);
}

/** Remembers the text editor that the user was in before the prompt, so that its selection can be added from there. */
export class LastEditor implements vscode.Disposable {
  private last: vscode.TextEditor | undefined;
  private readonly listening: vscode.Disposable;

  constructor() {
    this.remember(vscode.window.activeTextEditor);
    this.listening = vscode.window.onDidChangeActiveTextEditor((editor) => this.remember(editor));
  }

  dispose(): void {
    this.listening.dispose();
  }

  /** The active text editor or else the last one that was; undefined when it was closed and none is visible. */
  get current(): vscode.TextEditor | undefined {
    this.remember(vscode.window.activeTextEditor);
    if (this.last !== undefined && !this.last.document.isClosed) {
      return this.last;
    }
    return vscode.window.visibleTextEditors.find(({ document }) => canBeContext(document.uri));
  }

  private remember(editor: vscode.TextEditor | undefined): void {
    if (editor !== undefined && canBeContext(editor.document.uri)) {
      this.last = editor;
    }
  }
}
