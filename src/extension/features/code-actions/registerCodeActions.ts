import * as vscode from 'vscode';
import { type AnySymbol, KeptSymbols } from './symbolNamedAt';

/** Documents that a person writes; not prompts, logs or what another extension shows. */
const WRITTEN: vscode.DocumentSelector = ['file', 'vscode-remote', 'vscode-vfs', 'untitled'].map((scheme) => ({
  scheme,
}));

/** All are refactorings of their own kind: none fixes anything by itself, and none is run with “Fix all” or on saving. */
export const CODE_ACTION_KIND = vscode.CodeActionKind.Refactor.append('docsAgent');

/** What the light bulb offers; its logic is loaded when the editor asks for the first time. */
export function registerCodeActions(): vscode.Disposable {
  const kept = new KeptSymbols<vscode.TextDocument, AnySymbol>((document) =>
    vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', document.uri),
  );
  const provider: vscode.CodeActionProvider = {
    provideCodeActions: async (document, range, context, token) => {
      if (context.only !== undefined && !context.only.intersects(CODE_ACTION_KIND)) {
        return [];
      }
      const { provideCodeActions } = await import('./codeActions');
      return provideCodeActions(document, range, context, token, kept);
    },
  };
  return vscode.languages.registerCodeActionsProvider(WRITTEN, provider, {
    providedCodeActionKinds: [CODE_ACTION_KIND],
  });
}
