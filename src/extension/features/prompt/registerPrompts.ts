import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/disposable';
import type { Drafts } from '../../sending/drafts';
import { ComposerFiles } from './composer/composerFiles';
import { COMPOSER_SCHEME } from './composer/composerTarget';
import { PREVIEW_SCHEME, PreviewFiles } from './composer/previewFiles';
import { DocsPageKey } from './context/docsPageKey';
import { registerTemplateCompletion } from './templates/templateCompletion';

/**
 * Registers the documents of prompts and their previews, and what the editor offers in files of the user.
 *
 * @param onUse called when a prompt or a preview is opened, by a command or because the window was reloaded
 */
export function registerPrompts(drafts: Drafts, onUse: () => void): vscode.Disposable {
  const owned = new DisposableStore();
  const prompts = new ComposerFiles(drafts, onUse);
  owned.add(vscode.workspace.registerFileSystemProvider(COMPOSER_SCHEME, prompts));
  owned.add(vscode.workspace.onDidOpenTextDocument((document) => prompts.hold(document)));
  vscode.workspace.textDocuments.forEach((document) => prompts.hold(document));
  owned.add(vscode.window.tabGroups.onDidChangeTabs(({ closed }) => prompts.forget(closed)));
  const previews = new PreviewFiles(drafts, onUse);
  owned.add(vscode.workspace.registerFileSystemProvider(PREVIEW_SCHEME, previews, { isReadonly: true }));
  owned.add(vscode.workspace.onDidChangeTextDocument(({ document }) => previews.refresh(document.uri)));
  owned.add(registerTemplateCompletion());
  owned.add(new DocsPageKey());
  return owned;
}
