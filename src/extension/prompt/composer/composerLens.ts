import * as vscode from 'vscode';
import { DisposableStore } from '../../../shared/util/disposable';
import { COMMANDS } from '../../ids';
import { COMPOSER_SCHEME, readTarget } from './composerTarget';
import { type PromptWords, wordsOf } from './promptWords';
import type { PromptRefresh } from './promptRefresh';
import type { TargetFacts } from './targetFacts';

/** Above a prompt: where it goes, how long it is, what the hour still allows, and what can be done with it. */
export class ComposerLens implements vscode.CodeLensProvider, vscode.Disposable {
  readonly onDidChangeCodeLenses: vscode.Event<void>;
  private readonly owned = new DisposableStore();

  constructor(
    private readonly facts: TargetFacts,
    refresh: PromptRefresh,
  ) {
    this.onDidChangeCodeLenses = refresh.onDidTick;
    this.owned.add(vscode.languages.registerCodeLensProvider({ scheme: COMPOSER_SCHEME }, this));
  }

  dispose(): void {
    this.owned.dispose();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const target = readTarget(document.uri);
    if (target === undefined) {
      return [];
    }
    const words = await wordsOf(document, target, this.facts);
    const prompt = document.uri.toString();
    // Each says what it does, so that neither is asked about.
    const send = words.sendLater === undefined ? document.uri : { prompt, when: 'now' };
    const later =
      words.sendLater === undefined || words.tooLong
        ? []
        : [lens(`$(clock) ${words.sendLater}`, COMMANDS.sendComposed, { prompt, when: 'ended' })];
    const effect = words.effect === '' || words.sendLater !== undefined ? [] : [lens(words.effect, '')];
    // What can be clicked comes first: of a long line the rest is out of sight.
    return [
      lens(`${iconOf(words)} ${words.send}`, words.tooLong ? '' : COMMANDS.sendComposed, send),
      ...later,
      lens(`$(eye) ${vscode.l10n.t('Preview')}`, COMMANDS.previewPrompt, { form: 'prompt', target }),
      lens([words.length, words.room].filter((part) => part !== '').join(' · '), ''),
      ...effect,
    ];
  }
}

function iconOf({ tooLong, waits }: PromptWords): string {
  return tooLong ? '$(error)' : waits ? '$(clock)' : '$(send)';
}

function lens(title: string, command: string, ...given: unknown[]): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command, arguments: given });
}
