import * as vscode from 'vscode';
import { PREVIEW_SCHEME, promptFolder } from '../composer/promptFiles';

/** Panel editors and previews of prompts: their text is never meant as context, and neither is that of a prompt. */
const NOT_MEANT = new Set([PREVIEW_SCHEME, 'output', 'comment', 'vscode-scm']);

/** Whether text with this address can be used as context. */
export function canBeContext(uri: vscode.Uri): boolean {
  return !NOT_MEANT.has(uri.scheme) && promptFolder(uri) === undefined;
}

/** Remembers the text editor that was active before the prompt, so that its selection can be added. */
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

  /** The active text editor, otherwise the last active one; undefined when that was closed and none is visible. */
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
