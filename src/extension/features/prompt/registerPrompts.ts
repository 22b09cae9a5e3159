import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/disposable';
import { PREVIEW_SCHEME, PreviewFiles, PROMPT_LANGUAGE, promptFolder } from './composer/promptFiles';
import type { PromptPorts } from './register';

/**
 * Registers what the editor offers in prompts and their previews, and in files of the user.
 *
 * @param load loads the commands, for a prompt or a preview that is opened by a command or because the window was
 *   reloaded
 */
export function registerPrompts(load: () => Promise<Pick<PromptPorts, 'preview'>>): vscode.Disposable {
  const owned = new DisposableStore();
  const open = (document: vscode.TextDocument): void => {
    if (promptFolder(document.uri) !== undefined) {
      void load();
      // The user may have associated all Markdown files with another language.
      void (
        document.languageId === PROMPT_LANGUAGE || vscode.languages.setTextDocumentLanguage(document, PROMPT_LANGUAGE)
      );
    }
  };
  owned.add(vscode.workspace.onDidOpenTextDocument(open));
  vscode.workspace.textDocuments.forEach(open);
  const previews = new PreviewFiles(async (prompt) => (await load()).preview(prompt));
  owned.add(vscode.workspace.registerFileSystemProvider(PREVIEW_SCHEME, previews, { isReadonly: true }));
  owned.add(vscode.workspace.onDidChangeTextDocument(({ document }) => previews.refresh(document.uri)));
  return owned;
}
