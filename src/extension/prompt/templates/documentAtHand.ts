import * as vscode from 'vscode';
import { COMPOSER_SCHEME } from '../composer/composerTarget';

/** The document that a prompt is about: that of the active editor or, while a prompt is being written, one that can be seen. */
export function documentAtHand(): vscode.TextDocument | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const editors = activeTextEditor === undefined ? visibleTextEditors : [activeTextEditor, ...visibleTextEditors];
  return editors.map(({ document }) => document).find(({ uri }) => uri.scheme !== COMPOSER_SCHEME);
}
