import * as vscode from 'vscode';
import { type AnySymbol, SymbolCache } from './symbolNamedAt';

/** Documents written by people; excludes prompts, logs and documents of other extensions. */
const WRITTEN: vscode.DocumentSelector = ['file', 'vscode-remote', 'vscode-vfs', 'untitled'].map((scheme) => ({
  scheme,
}));

/**
 * A separate refactoring kind: the actions fix nothing themselves, so “Fix all” and fixes on save must not run them.
 */
export const CODE_ACTION_KIND = vscode.CodeActionKind.Refactor.append('docsAgent');

/** Registers the lightbulb actions; their logic is loaded when the editor first asks for them. */
export function registerCodeActions(): vscode.Disposable {
  const kept = new SymbolCache<vscode.TextDocument, AnySymbol>((document) =>
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
