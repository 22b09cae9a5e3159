import * as vscode from 'vscode';
import { CONTEXT_KEYS } from '../../../ids';
import { setContextKey } from '../../../platform/contextKeys';

/** A cheap check before any module is loaded. */
const PAGE = /\.(mdx?|markdown|rst|adoc)$/i;

/** Editors in the panel can become active without the user leaving the page. */
const IGNORED_SCHEMES = new Set(['output', 'comment']);

/** Maintains the context key that says whether the active editor shows a documentation page. */
export class DocsPageKey implements vscode.Disposable {
  private readonly listener = vscode.window.onDidChangeActiveTextEditor(() => void this.update());
  private value = false;
  /** Number of checks started, so that only the result of the latest one counts. */
  private looks = 0;

  constructor() {
    void this.update();
  }

  dispose(): void {
    this.listener.dispose();
  }

  private async update(): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri !== undefined && IGNORED_SCHEMES.has(uri.scheme)) {
      return;
    }
    const look = ++this.looks;
    const isPage = uri !== undefined && PAGE.test(uri.path) && (await (await import('./docsPage')).isDocsPage(uri));
    if (look === this.looks && isPage !== this.value) {
      this.value = isPage;
      setContextKey(CONTEXT_KEYS.docsPageOpen, isPage);
    }
  }
}
