import * as vscode from 'vscode';
import { DisposableStore } from '../../../../base/disposable';
import type { Logger } from '../../../../base/logger';
import { promptText } from '../../../../prompt/promptText';
import { COMMANDS } from '../../../ids';
import { numberText } from '../../../platform/numberText';
import { toLabel, toPickLabel } from '../../../platform/sanitize';
import { timeText } from '../../../presentation/jobText';
import { type PromptSize, sizeOf } from '../../../sending/promptLimits';
import {
  COMPOSER_SCHEME,
  type ComposerTarget,
  readTarget,
  type RemainingQuota,
  type TargetFacts,
} from './composerTarget';
import type { PromptRefresh } from './promptDocuments';

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

/** From this part of a limit on the bytes are told. */
const NEAR = 0.75;

/** What is told of a prompt that is open, above it and in the status bar. */
export interface PromptWords {
  target: string;
  /** What sending does now, or why it can't be sent. */
  send: string;
  /** It is longer than its service takes. */
  tooLong: boolean;
  /** It has to wait for the hour's limit. */
  waits: boolean;
  /** The second way to send, after the present run; undefined when there is none to wait for. */
  sendLater: string | undefined;
  /** What a send does to its job; empty for a new one. */
  effect: string;
  length: string;
  /** What the hour still allows; empty where nothing is counted. */
  room: string;
}

export async function wordsOf(
  document: vscode.TextDocument,
  target: ComposerTarget,
  facts: TargetFacts,
): Promise<PromptWords> {
  const prompt = promptText(document.getText());
  const size = sizeOf(facts.homeOf(target, true)?.service, prompt);
  const room = await facts.remainingQuota(target);
  const followUp = facts.followUpWordsOf(target);
  const name = toLabel(facts.nameOf(target), 60);
  return {
    target: name,
    send: sendWords(name, size, room, followUp?.sendLater !== undefined),
    sendLater: followUp?.sendLater,
    effect: followUp?.effect ?? '',
    tooLong: size.over > 0,
    waits: room?.nextAt !== undefined,
    length: lengthWords(prompt.length, size),
    room: room === undefined ? '' : quotaText(room),
  };
}

function sendWords(name: string, { over }: PromptSize, room: RemainingQuota | undefined, interrupts: boolean): string {
  if (over > 0) {
    return vscode.l10n.t('Too long to send: {0} bytes over the limit', numberText(over));
  }
  if (room?.nextAt === undefined) {
    return interrupts ? vscode.l10n.t('Interrupt {0} and send', name) : vscode.l10n.t('Send to {0}', name);
  }
  return interrupts
    ? vscode.l10n.t('Interrupt {1} and send when allowed (at {0})', timeText(room.nextAt), name)
    : vscode.l10n.t('Send when allowed (at {0}) to {1}', timeText(room.nextAt), name);
}

function lengthWords(length: number, { bytes, limit }: PromptSize): string {
  const characters = length === 1 ? vscode.l10n.t('1 character') : vscode.l10n.t('{0} characters', numberText(length));
  return limit === undefined || bytes < limit * NEAR
    ? characters
    : vscode.l10n.t('{0}, {1} of {2} bytes', characters, numberText(bytes), numberText(limit));
}

function quotaText({ left, size, nextAt }: RemainingQuota): string {
  return nextAt === undefined
    ? vscode.l10n.t('{0} of {1} left this hour, as counted here', left, size)
    : vscode.l10n.t('none left this hour, as counted here: it is sent by itself at {0}', timeText(nextAt));
}

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
