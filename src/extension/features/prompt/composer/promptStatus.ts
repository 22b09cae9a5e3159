import * as vscode from 'vscode';
import { DisposableStore } from '../../../../base/disposable';
import type { Logger } from '../../../../base/logger';
import type { JobStore } from '../../../../jobs/jobStore';
import { promptText } from '../../../../prompt/promptText';
import { numberText } from '../../../platform/numberText';
import { toLabel, toPickLabel } from '../../../platform/sanitize';
import { timeText } from '../../../presentation/jobText';
import { getFollowUpTexts } from '../../../sending/followUps';
import { type PromptSize, sizeOf } from '../../../sending/promptLimits';
import { PROMPT_LANGUAGE } from './promptFiles';
import type { PromptTargets, RemainingQuota } from './promptTargets';

/** Idle time before the status bar is updated, in milliseconds. */
const SETTLE_MS = 200;

/** The byte count is shown from this fraction of the limit on. */
const NEAR = 0.75;

/** What remains of the hourly limit is shown from here on. */
const FEW_LEFT = 10;

/** What is shown about an open prompt. */
interface PromptTexts {
  target: string;
  /** What sending will do now, or why it isn't possible. */
  send: string;
  /** It exceeds the service's limit. */
  tooLong: boolean;
  /** It has to wait for the hourly limit. */
  waits: boolean;
  /** The second way to send, after the current run; undefined when no run is active. */
  sendLater: string | undefined;
  /** What to know before sending a follow-up. */
  effects: readonly string[];
  length: string;
  /** What remains of the hourly limit if it is little; otherwise empty. */
  room: string;
}

/**
 * Shows where a prompt goes, its length, and what remains of the hourly limit: above the text, with the actions, and in
 * the status bar, where screen readers find it.
 */
export class PromptStatus implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly item = this.owned.add(
    vscode.window.createStatusBarItem('docsAgent.prompt', vscode.StatusBarAlignment.Left),
  );
  private readonly hint = this.owned.add(
    vscode.window.createTextEditorDecorationType({
      after: { color: new vscode.ThemeColor('input.placeholderForeground') },
    }),
  );
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly targets: PromptTargets,
    store: Pick<JobStore, 'onDidChange'>,
    private readonly log: Logger,
  ) {
    this.item.name = vscode.l10n.t('Docs Agent: prompt');
    this.item.command = 'docsAgent.previewPrompt';
    const refresh = (): void => {
      if (vscode.window.visibleTextEditors.some(({ document }) => document.languageId === PROMPT_LANGUAGE)) {
        this.changed.fire();
        this.updateSoon();
      }
    };
    this.owned.add(vscode.languages.registerCodeLensProvider({ language: PROMPT_LANGUAGE }, this));
    this.owned.add(store.onDidChange(refresh));
    // They decide which service is the usual one.
    this.owned.add(vscode.workspace.onDidChangeConfiguration(refresh));
    this.owned.add(vscode.window.onDidChangeActiveTextEditor(() => this.updateSoon(0)));
    this.owned.add(vscode.workspace.onDidChangeTextDocument(() => this.updateSoon()));
    this.owned.add(vscode.workspace.onDidChangeTextDocument(() => this.showHints()));
    this.owned.add(vscode.window.onDidChangeVisibleTextEditors(() => this.showHints()));
    this.showHints();
    this.owned.add({ dispose: () => clearTimeout(this.timer) });
    this.updateSoon(0);
  }

  dispose(): void {
    this.owned.dispose();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const texts = await this.textsOf(document);
    if (texts === undefined) {
      return [];
    }
    const prompt = document.uri.toString();
    // Each button states when it sends, so that clicking it needs no further question.
    const send = texts.sendLater === undefined ? document.uri : { prompt, when: 'now' };
    const later =
      texts.sendLater === undefined || texts.tooLong
        ? []
        : [lens(`$(clock) ${texts.sendLater}`, 'docsAgent.sendComposed', { prompt, when: 'ended' })];
    const effects = texts.sendLater !== undefined ? [] : texts.effects.map((effect) => lens(toPickLabel(effect)));
    const icon = texts.tooLong ? '$(error)' : texts.waits ? '$(clock)' : '$(send)';
    // Clickable items come first, because the rest of a long line is cut off.
    return [
      lens(vscode.l10n.t('Draft, not sent yet')),
      lens(`${icon} ${texts.send}`, texts.tooLong ? '' : 'docsAgent.sendComposed', send),
      ...later,
      lens(`$(eye) ${vscode.l10n.t('Preview')}`, 'docsAgent.previewPrompt', document.uri),
      ...effects,
      lens([texts.length, texts.room].filter((part) => part !== '').join(' · ')),
    ];
  }

  /** An empty prompt says in grey what to write. */
  private showHints(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const target = this.targets.get(editor.document.uri);
      if (target !== undefined) {
        const contentText = target.isFollowUp
          ? vscode.l10n.t('What should the agent change or add? Type # for files, symbols, and templates')
          : vscode.l10n.t('What should be documented? Type # for files, symbols, and templates');
        const range = new vscode.Range(0, 0, 0, 0);
        const shown = editor.document.getText() === '' ? [{ range, renderOptions: { after: { contentText } } }] : [];
        editor.setDecorations(this.hint, shown);
      }
    }
  }

  private updateSoon(ms = SETTLE_MS): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.update().catch((error: unknown) => this.log.error('couldn’t show the state of a prompt', error));
    }, ms);
  }

  private async update(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const texts = document && (await this.textsOf(document));
    // Another editor may have become active in the meantime.
    if (texts === undefined || vscode.window.activeTextEditor?.document !== document) {
      this.item.hide();
      return;
    }
    const target = vscode.l10n.t('Prompt for {0}', texts.target);
    const parts = [texts.tooLong || texts.waits ? texts.send : target, texts.length, texts.waits ? '' : texts.room];
    this.item.text = `$(edit) ${toPickLabel(parts.filter((part) => part !== '').join(' · '))}`;
    // The target comes last: it is also the name of the document.
    const label = [texts.length, texts.room, texts.send, ...texts.effects, target]
      .filter((part) => part !== '')
      .join(', ');
    this.item.accessibilityInformation = { label };
    this.item.tooltip = vscode.l10n.t('Preview Request');
    this.item.show();
  }

  /** Undefined for a document that is not a prompt. */
  private async textsOf(document: vscode.TextDocument): Promise<PromptTexts | undefined> {
    const target = this.targets.get(document.uri);
    if (target === undefined) {
      return undefined;
    }
    const prompt = promptText(document.getText());
    const size = sizeOf(target.location?.service, prompt);
    const quota = await this.targets.remainingQuota(target);
    const followUp = target.job && getFollowUpTexts(target.job);
    // Code lenses render icons.
    const name = toPickLabel(toLabel(target.name, 60));
    return {
      target: name,
      send: sendText(target.isFollowUp ? undefined : name, size, quota, followUp?.sendLater !== undefined),
      sendLater: followUp?.sendLater,
      effects: followUp?.effects ?? [],
      tooLong: size.over > 0,
      waits: quota?.nextAt !== undefined,
      length: lengthText(prompt.length, size),
      room: quota === undefined || quota.left > FEW_LEFT ? '' : quotaText(quota, target.isFollowUp),
    };
  }
}

/** @param name where a new job goes; a follow-up's job is the name of its document */
function sendText(
  name: string | undefined,
  { over }: PromptSize,
  quota: RemainingQuota | undefined,
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
  return quota?.nextAt === undefined ? send : vscode.l10n.t('{0} at {1} (rate limit)', send, timeText(quota.nextAt));
}

function lengthText(length: number, { bytes, limit }: PromptSize): string {
  const characters = length === 1 ? vscode.l10n.t('1 character') : vscode.l10n.t('{0} characters', numberText(length));
  return limit === undefined || bytes < limit * NEAR
    ? characters
    : vscode.l10n.t('{0}, {1} of {2} bytes', characters, numberText(bytes), numberText(limit));
}

/** The service counts new jobs and follow-ups separately. */
function quotaText({ left, size, nextAt }: RemainingQuota, isFollowUp: boolean): string {
  if (nextAt !== undefined) {
    return vscode.l10n.t('Hourly limit reached. Sends automatically at {0}', timeText(nextAt));
  }
  return isFollowUp
    ? vscode.l10n.t('{0} of {1} follow-ups left this hour', left, size)
    : vscode.l10n.t('{0} of {1} new jobs left this hour', left, size);
}

function lens(title: string, command = '', ...given: unknown[]): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command, arguments: given });
}
