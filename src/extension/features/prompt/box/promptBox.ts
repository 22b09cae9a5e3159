import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import type { ServiceLocation } from '../../../../jobs/events';
import { toBoxLine, toNotice } from '../../../platform/sanitize';
import type { SendTime } from '../../../platform/sendTime';
import type { Drafts } from '../../../sending/drafts';
import { refuseTooLong, saveErrorText, whyUnsaved } from '../../../sending/promptLimits';
import { type OtherTime, PromptSession, SendCancelled } from '../../../sending/promptSession';
import type { SendGuard } from '../../../sending/sendGuard';

const COMPOSE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('edit'),
  tooltip: vscode.l10n.t('Continue in Editor'),
};
const PASTE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('clippy'),
  tooltip: vscode.l10n.t('Paste Clipboard into Editor (keeps line breaks)'),
};

export interface PromptBoxOptions {
  title: string;
  placeholder: string;
  /** Where the prompt goes. */
  home: ServiceLocation;
  /** Builds the full prompt from the typed text; when absent, the typed text is the prompt. */
  whole?: (typed: string) => Promise<string>;
  /** Initial text. An unsent draft for the same target takes precedence. */
  value?: string;
  /** Draft key: reopening the box with the same key restores text that was typed but not sent. */
  draft: string;
  /** A warning to show below the box, such as what a send will interrupt. */
  hint?: string | undefined;
  /** Enter on an empty box counts as an answer. */
  allowEmpty?: boolean;
  /** A second way to send, shown as a button of the box. */
  other?: OtherTime | undefined;
  /** Continues in an editor document, which allows multiple lines. Resolves once the text is safe there. */
  compose?: (text: string) => Promise<unknown>;
}

/** Where a prompt that was not typed goes, and how to continue with it in the editor. */
export type GivenPrompt = Pick<PromptBoxOptions, 'home' | 'whole'> & Required<Pick<PromptBoxOptions, 'compose'>>;

/** Saves the full prompt. `time` is set when the second way to send was chosen. */
export type SavePrompt<T> = (prompt: string, time?: SendTime) => Promise<SavedPrompt<T>>;

/** The result of saving a prompt. */
export interface SavedPrompt<T> {
  finished: Promise<T>;
}

/** Asks for a prompt without ever losing it: typed text is kept until it is saved elsewhere. */
export class PromptBox {
  constructor(
    private readonly drafts: Drafts,
    private readonly guard: SendGuard,
    private readonly log: Logger,
  ) {}

  /**
   * Returns the result of the saved prompt, or undefined when the box was closed. While `save` fails, the box stays
   * open with its text and shows the reason. `save` receives the full prompt, after the user was asked about likely
   * secrets.
   */
  async ask<T>(options: PromptBoxOptions, save: SavePrompt<T>): Promise<T | undefined> {
    const initial = options.value ?? '';
    // The input box holds a single line and would flatten the others, so they are carried along unchanged.
    const [line = '', ...below] = ((await this.drafts.open(options.draft)) ?? initial).split('\n');
    const box = vscode.window.createInputBox();
    let rest: readonly string[] = below;
    box.title = options.title;
    box.placeholder = options.placeholder;
    const keepRest = (lines: readonly string[]): void => {
      rest = lines;
      const hint = lines.length === 0 ? undefined : restHint(lines.length);
      box.prompt = [options.hint, hint].filter((each) => (each ?? '') !== '').join(' ') || undefined;
    };
    keepRest(below);
    box.value = line;
    box.ignoreFocusOut = true;
    // By default VS Code selects the whole value, and the first key would replace it.
    box.valueSelection = [line.length, line.length];
    const { compose, other } = options;
    const icon = new vscode.ThemeIcon(other?.time === 'now' ? 'send' : 'clock');
    const second: vscode.QuickInputButton = { iconPath: icon, tooltip: other?.label ?? '' };
    box.buttons = [...(other === undefined ? [] : [second]), ...(compose === undefined ? [] : [COMPOSE, PASTE])];
    const session = new PromptSession({
      box,
      drafts: this.drafts,
      draft: options.draft,
      initial,
      rest,
      onRest: keepRest,
      allowEmpty: options.allowEmpty === true,
      emptyText: vscode.l10n.t('Enter a prompt.'),
    });
    const toEditor = (withClipboard: boolean): Promise<string | undefined> => {
      const { text } = session;
      return this.continueInEditor(options.draft, text === initial ? '' : text, withClipboard, compose);
    };
    box.onDidTriggerButton((button) => {
      if (button === second) {
        session.enter(other?.time);
        return;
      }
      // A key typed in the meantime would reach neither the box nor the document.
      box.enabled = false;
      void toEditor(button === PASTE).then((failure) => {
        if (failure === undefined) {
          box.hide();
        }
        box.enabled = true;
        box.validationMessage = failure;
      });
    });
    let failure: unknown;
    for (let entered = await session.next(); entered !== undefined; entered = await session.next()) {
      let saved: SavedPrompt<T>;
      try {
        const prompt = await this.checked(await wholeOf(options, entered.text), options);
        saved = await save(prompt, entered.time);
      } catch (error) {
        const isCancelled = error instanceof SendCancelled;
        session.reject(isCancelled ? undefined : saveErrorText(error, toBoxLine));
        if (session.isClosed || (isCancelled && error.next !== 'stay')) {
          failure = error;
          break;
        }
        continue;
      }
      session.accept();
      return saved.finished;
    }
    const unsaved: unknown = await session.close().catch((error: unknown) => error);
    if (failure instanceof SendCancelled && failure.next === 'edit' && compose !== undefined) {
      const message = await toEditor(false);
      void (message === undefined || vscode.window.showErrorMessage(message));
    } else {
      this.offer(failure instanceof SendCancelled ? unsaved : (failure ?? unsaved), options, save);
    }
    return undefined;
  }

  /** For a prompt that was passed in rather than typed. If saving fails, it opens in the editor. */
  async given<T>(text: string, options: GivenPrompt, save: SavePrompt<T>): Promise<T | undefined> {
    let saved: SavedPrompt<T>;
    try {
      const prompt = await wholeOf(options, text);
      this.guard.remember(prompt);
      saved = await save(prompt);
    } catch (error) {
      await this.keepUnsent(text, options.compose, error);
      return undefined;
    }
    return saved.finished;
  }

  /**
   * For a prompt that a person sends again unchanged. The text stays where it is if they decide against that; if saving
   * fails, it opens in the editor.
   */
  async resend<T>(text: string, options: GivenPrompt, save: SavePrompt<T>): Promise<T | undefined> {
    let saved: SavedPrompt<T>;
    try {
      saved = await save(await this.checked(text, options));
    } catch (error) {
      if (!(error instanceof SendCancelled)) {
        await this.keepUnsent(text, options.compose, error);
      } else if (error.next === 'edit') {
        await options.compose(text);
      }
      return undefined;
    }
    return saved.finished;
  }

  /**
   * Returns the prompt that may be sent. Throws SendCancelled when the user decides against sending, and TooLongError.
   */
  private async checked(
    prompt: string,
    { home, compose }: Pick<PromptBoxOptions, 'home' | 'compose'>,
  ): Promise<string> {
    refuseTooLong(home, prompt);
    const decision = await this.guard.ask(prompt, compose !== undefined);
    if ('send' in decision) {
      return decision.send;
    }
    throw new SendCancelled('look' in decision ? 'edit' : 'close');
  }

  /**
   * Returns why the text could not be handed over, as a message for the user; it is then still the draft of the box.
   */
  private async continueInEditor(
    draft: string,
    typed: string,
    withClipboard: boolean,
    compose: PromptBoxOptions['compose'],
  ): Promise<string | undefined> {
    try {
      const pasted = withClipboard ? await vscode.env.clipboard.readText() : '';
      await compose?.([typed, pasted].filter((text) => text.trim() !== '').join('\n\n'));
      // From now on, the document holds the text.
      this.drafts.type(draft, '');
      return undefined;
    } catch (error) {
      this.log.error('couldn’t open a prompt in the editor', error);
      const why = toBoxLine(whyUnsaved(error), 200);
      return vscode.l10n.t('Couldn’t open the prompt in the editor: {0}. Its text was kept here.', why);
    }
  }

  /** If not even a draft can be saved, the text is in an unsaved document of the editor. */
  private async keepUnsent(text: string, compose: GivenPrompt['compose'], error: unknown): Promise<void> {
    this.log.error('couldn’t save a prompt, so it wasn’t sent', error);
    void vscode.window.showErrorMessage(saveErrorText(error, toNotice));
    await compose(text).catch(async (failure: unknown) => {
      this.log.error('couldn’t open a prompt in the editor', failure);
      await vscode.window.showTextDocument(
        await vscode.workspace.openTextDocument({ content: text, language: 'markdown' }),
      );
    });
  }

  /** Offers to open a text again that neither a prompt nor a draft could be saved from. */
  private offer<T>(error: unknown, options: PromptBoxOptions, save: SavePrompt<T>): void {
    if (error === undefined) {
      return;
    }
    this.log.error('couldn’t save a prompt, so it wasn’t sent', error);
    const open = vscode.l10n.t('Open Prompt');
    const reopen = async (): Promise<void> => {
      if ((await vscode.window.showErrorMessage(saveErrorText(error, toNotice), open)) === open) {
        await this.ask(options, save);
      }
    };
    reopen().catch((failure: unknown) => this.log.error('couldn’t reopen a prompt', failure));
  }
}

async function wholeOf({ whole }: Pick<PromptBoxOptions, 'whole'>, typed: string): Promise<string> {
  return whole === undefined ? typed : whole(typed);
}

function restHint(lines: number): string {
  return lines === 1
    ? vscode.l10n.t('1 more line is sent unchanged.')
    : vscode.l10n.t('{0} more lines are sent unchanged.', lines);
}
