import * as vscode from 'vscode';
import type { Logger } from '../../../shared/util/logger';
import { TEMPLATE_SELECTOR, templateKind } from './templateDocument';

type Language = typeof import('./language');

/** How long after a change the problems of a document are looked for, in milliseconds. */
const PAUSE_MS = 200;

/**
 * Completion, hover, problems and their fixes where templates are written. Only the registrations are here: what they do is
 * loaded when the first such document is open.
 */
export class TemplateHelp implements vscode.Disposable {
  private readonly registered: vscode.Disposable[];
  private readonly problems = vscode.languages.createDiagnosticCollection('docsAgent');
  private readonly waiting = new Map<string, NodeJS.Timeout>();
  private language: Promise<Language> | undefined;

  constructor(private readonly log: Logger) {
    const { languages, workspace } = vscode;
    this.registered = [
      languages.registerCompletionItemProvider(
        TEMPLATE_SELECTOR,
        { provideCompletionItems: async (document, at) => (await this.for(document))?.completions(document, at) },
        '{',
      ),
      languages.registerHoverProvider(TEMPLATE_SELECTOR, {
        provideHover: async (document, at) => (await this.for(document))?.hover(document, at),
      }),
      languages.registerCodeActionsProvider(TEMPLATE_SELECTOR, {
        provideCodeActions: async (document, _, { diagnostics }) =>
          (await this.for(document))?.fixes(document, diagnostics),
      }),
      workspace.onDidOpenTextDocument((document) => this.look(document)),
      workspace.onDidChangeTextDocument(({ document }) => this.lookSoon(document)),
      workspace.onDidCloseTextDocument((document) => this.forget(document)),
    ];
    workspace.textDocuments.forEach((document) => this.look(document));
  }

  dispose(): void {
    this.waiting.forEach((timer) => clearTimeout(timer));
    this.problems.dispose();
    for (const each of this.registered) {
      each.dispose();
    }
  }

  private for(document: vscode.TextDocument): Promise<Language> | undefined {
    return templateKind(document) && (this.language ??= import('./language'));
  }

  private look(document: vscode.TextDocument): void {
    this.waiting.delete(document.uri.toString());
    if (this.for(document) === undefined) {
      this.problems.delete(document.uri);
      return;
    }
    this.for(document)
      ?.then(({ diagnostics }) => {
        if (!document.isClosed) {
          this.problems.set(document.uri, diagnostics(document));
        }
      })
      .catch((error: unknown) => this.log.error('a prompt template could not be checked', error));
  }

  private lookSoon(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    if (this.waiting.has(key) || (templateKind(document) === undefined && !this.problems.has(document.uri))) {
      return;
    }
    this.waiting.set(
      key,
      setTimeout(() => this.look(document), PAUSE_MS),
    );
  }

  private forget(document: vscode.TextDocument): void {
    clearTimeout(this.waiting.get(document.uri.toString()));
    this.waiting.delete(document.uri.toString());
    this.problems.delete(document.uri);
  }
}
