import * as vscode from 'vscode';
import { DisposableStore } from '../../../shared/util/disposable';
import { setContextKey } from '../../contextKeys';
import { CONTEXT_KEYS } from '../../ids';
import type { KnownSites } from './knownSites';

/** The files that a page of documentation can be. */
const PAGE = /\.(mdx?|markdown|rst|adoc)$/i;

/** The panel's editors come to the front without anybody leaving the page. */
const NOT_LEFT_FOR = new Set(['output', 'comment']);

/**
 * Keeps the context key that says whether the active editor shows a page of a documentation site. Nothing is loaded, read
 * or watched before a file is opened that can be one.
 */
export class DocsPageKey implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private sites: Promise<KnownSites> | undefined;
  private value = false;
  /** Counts the questions, so that only the last one's answer counts. */
  private asked = 0;

  constructor() {
    this.owned.add(vscode.window.onDidChangeActiveTextEditor(() => void this.look()));
    void this.look();
  }

  dispose(): void {
    this.owned.dispose();
  }

  private async look(): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri !== undefined && NOT_LEFT_FOR.has(uri.scheme)) {
      return;
    }
    const question = ++this.asked;
    const isPage = uri !== undefined && PAGE.test(uri.path) && (await (await this.known()).has(uri));
    if (question === this.asked && isPage !== this.value) {
      this.value = isPage;
      setContextKey(CONTEXT_KEYS.docsPageOpen, isPage);
    }
  }

  private known(): Promise<KnownSites> {
    return (this.sites ??= import('./knownSites').then(({ KnownSites }) =>
      this.owned.add(new KnownSites(() => void this.look())),
    ));
  }
}
