import * as vscode from 'vscode';
import { DisposableStore } from '../../../shared/util/disposable';
import type { Logger } from '../../../shared/util/logger';
import { COMMANDS } from '../../ids';
import { toPickLabel } from '../../text';
import { readTarget } from './composerTarget';
import { wordsOf } from './promptWords';
import type { PromptRefresh } from './promptRefresh';
import type { TargetFacts } from './targetFacts';

/** How long nothing is typed before the length is told anew, in milliseconds. */
const SETTLE_MS = 200;

/** The same as above the prompt, in the status bar, where every reader of screens finds it; there while a prompt is active. */
export class PromptStatus implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly item = this.owned.add(
    vscode.window.createStatusBarItem('docsAgent.prompt', vscode.StatusBarAlignment.Left),
  );
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly facts: TargetFacts,
    refresh: PromptRefresh,
    private readonly log: Logger,
  ) {
    this.item.name = vscode.l10n.t('Docs Agent: prompt');
    this.item.command = COMMANDS.previewPrompt;
    this.owned.add(vscode.window.onDidChangeActiveTextEditor(() => this.update()));
    this.owned.add(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document) {
          this.updateSoon();
        }
      }),
    );
    this.owned.add(refresh.onDidTick(() => this.update()));
    this.owned.add({ dispose: () => clearTimeout(this.timer) });
    this.update();
  }

  dispose(): void {
    this.owned.dispose();
  }

  private updateSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.update(), SETTLE_MS);
  }

  private update(): void {
    this.show().catch((error: unknown) => this.log.error('the state of a prompt could not be shown', error));
  }

  private async show(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const target = document && readTarget(document.uri);
    if (document === undefined || target === undefined) {
      this.item.hide();
      return;
    }
    const words = await wordsOf(document, target, this.facts);
    // The prompt may have been left meanwhile.
    if (vscode.window.activeTextEditor?.document !== document) {
      return;
    }
    const state = words.tooLong || words.waits ? [words.send] : [vscode.l10n.t('Prompt for {0}', words.target)];
    const parts = [...state, words.length, ...(words.waits ? [] : [words.room])].filter((part) => part !== '');
    this.item.text = `$(edit) ${toPickLabel(parts.join(' · '))}`;
    const told = [vscode.l10n.t('Prompt for {0}', words.target), words.send, words.length, words.room, words.effect];
    const label = told.filter((part) => part !== '').join(', ');
    this.item.accessibilityInformation = { label };
    this.item.tooltip = vscode.l10n.t('Preview what is sent');
    this.item.show();
  }
}
