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

/** Idle time before the length is updated, in milliseconds. */
const SETTLE_MS = 200;

/** Repeats the code lens in the status bar, where screen readers find it. Shown while a prompt is active. */
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
    this.show().catch((error: unknown) => this.log.error('couldn’t show the state of a prompt', error));
  }

  private async show(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const target = document && readTarget(document.uri);
    if (document === undefined || target === undefined) {
      this.item.hide();
      return;
    }
    const words = await getPromptTexts(document, target, this.facts);
    // Another editor may have become active in the meantime.
    if (vscode.window.activeTextEditor?.document !== document) {
      return;
    }
    const state = words.tooLong || words.waits ? [words.send] : [vscode.l10n.t('Prompt for {0}', words.target)];
    const parts = [...state, words.length, ...(words.waits ? [] : [words.room])].filter((part) => part !== '');
    this.item.text = `$(edit) ${toPickLabel(parts.join(' · '))}`;
    // The target comes last: it is also the name of the document.
    const told = [words.length, words.room, words.send, words.effect, vscode.l10n.t('Prompt for {0}', words.target)];
    const label = told.filter((part) => part !== '').join(', ');
    this.item.accessibilityInformation = { label };
    this.item.tooltip = vscode.l10n.t('Preview Request');
    this.item.show();
  }
}

/** The byte count is shown from this fraction of the limit on. */
const NEAR = 0.75;

/** What remains of the hourly limit is shown from here on. */
const FEW_LEFT = 10;

/** What the code lens and the status bar show about an open prompt. */
export interface PromptTexts {
  target: string;
  /** What sending will do now, or why it isn't possible. */
  send: string;
  /** It exceeds the service's limit. */
  tooLong: boolean;
  /** It has to wait for the hourly limit. */
  waits: boolean;
  /** The second way to send, after the current run; undefined when no run is active. */
  sendLater: string | undefined;
  /** The effect of sending on the job; empty for a new job. */
  effect: string;
  length: string;
  /** What remains of the hourly limit if it is little; otherwise empty. */
  room: string;
}

async function getPromptTexts(
  document: vscode.TextDocument,
  target: ComposerTarget,
  facts: TargetFacts,
): Promise<PromptTexts> {
  const prompt = promptText(document.getText());
  const size = sizeOf(facts.homeOf(target, true)?.service, prompt);
  const room = await facts.remainingQuota(target);
  const followUp = facts.getFollowUpTexts(target);
  // Code lenses render icons.
  const name = toPickLabel(toLabel(facts.nameOf(target), 60));
  return {
    target: name,
    send: sendText(target.kind === 'new' ? name : undefined, size, room, followUp?.sendLater !== undefined),
    sendLater: followUp?.sendLater,
    effect: followUp?.effect ?? '',
    tooLong: size.over > 0,
    waits: room?.nextAt !== undefined,
    length: lengthText(prompt.length, size),
    room: room === undefined || room.left > FEW_LEFT ? '' : quotaText(room, target.kind),
  };
}

/** @param name where a new job goes; a follow-up's job is the name of its document */
function sendText(
  name: string | undefined,
  { over }: PromptSize,
  room: RemainingQuota | undefined,
  interrupts: boolean,
): string {
  if (over > 0) {
    return vscode.l10n.t('{0} bytes over the limit', numberText(over));
  }
  const send =
    name !== undefined
      ? vscode.l10n.t('Send to {0}', name)
      : interrupts
        ? vscode.l10n.t('Interrupt and Send')
        : vscode.l10n.t('Send Follow-up');
  return room?.nextAt === undefined ? send : vscode.l10n.t('{0} at {1} (rate limit)', send, timeText(room.nextAt));
}

function lengthText(length: number, { bytes, limit }: PromptSize): string {
  const characters = length === 1 ? vscode.l10n.t('1 character') : vscode.l10n.t('{0} characters', numberText(length));
  return limit === undefined || bytes < limit * NEAR
    ? characters
    : vscode.l10n.t('{0}, {1} of {2} bytes', characters, numberText(bytes), numberText(limit));
}

/** The service counts new jobs and follow-ups separately. */
function quotaText({ left, size, nextAt }: RemainingQuota, kind: ComposerTarget['kind']): string {
  if (nextAt !== undefined) {
    return vscode.l10n.t('Hourly limit reached. Sends automatically at {0}', timeText(nextAt));
  }
  return kind === 'new'
    ? vscode.l10n.t('{0} of {1} new jobs left this hour', left, size)
    : vscode.l10n.t('{0} of {1} follow-ups left this hour', left, size);
}

/** Shown above a prompt: its target, its length, the remaining hourly quota and the available actions. */
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
    const words = await getPromptTexts(document, target, this.facts);
    const prompt = document.uri.toString();
    // Each button states when it sends, so that clicking it needs no further question.
    const send = words.sendLater === undefined ? document.uri : { prompt, when: 'now' };
    const later =
      words.sendLater === undefined || words.tooLong
        ? []
        : [lens(`$(clock) ${words.sendLater}`, COMMANDS.sendComposed, { prompt, when: 'ended' })];
    const effect = words.effect === '' || words.sendLater !== undefined ? [] : [lens(words.effect, '')];
    // Clickable items come first, because the rest of a long line is cut off.
    return [
      lens(vscode.l10n.t('Draft, not sent yet'), ''),
      lens(`${iconOf(words)} ${words.send}`, words.tooLong ? '' : COMMANDS.sendComposed, send),
      ...later,
      lens(`$(eye) ${vscode.l10n.t('Preview')}`, COMMANDS.previewPrompt, { form: 'prompt', target }),
      lens([words.length, words.room].filter((part) => part !== '').join(' · '), ''),
      ...effect,
    ];
  }
}

function iconOf({ tooLong, waits }: PromptTexts): string {
  return tooLong ? '$(error)' : waits ? '$(clock)' : '$(send)';
}

function lens(title: string, command: string, ...given: unknown[]): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command, arguments: given });
}
