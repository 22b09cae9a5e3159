import * as vscode from 'vscode';
import { CONTEXT_KEYS } from '../../../ids';
import { setContextKey } from '../../../platform/contextKeys';

/** Checked before anything is loaded. */
const PAGE = /\.(mdx?|markdown|rst|adoc)$/i;

/** The panel's editors come to the front without anybody leaving the page. */
const IGNORED_SCHEMES = new Set(['output', 'comment']);

/** Keeps the context key that says whether the active editor shows a page of a documentation folder. */
export class DocsPageKey implements vscode.Disposable {
  private readonly listener = vscode.window.onDidChangeActiveTextEditor(() => void this.update());
  private value = false;
  /** Only the answer to the last look counts. */
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
