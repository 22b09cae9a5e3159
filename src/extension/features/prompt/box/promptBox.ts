import * as vscode from 'vscode';
import type { Disposable } from '../../../../base/disposable';
import type { Logger } from '../../../../base/logger';
import { isBlank } from '../../../../base/text';
import type { TrackedJob } from '../../../../jobs/trackedJob';
import { toBoxLine, toNotice } from '../../../platform/sanitize';
import type { Drafts } from '../../../sending/drafts';
import type { OtherTime } from '../../../sending/followUps';
import { PromptError, saveErrorText, whyUnsaved } from '../../../sending/promptLimits';
import {
  type Outcome,
  type PromptRequest,
  type PromptTarget,
  type SendGuard,
  sendPrompt,
} from '../../../sending/sendPrompt';
import type { SendTime } from '../../../platform/sendTime';

const COMPOSE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('edit'),
  tooltip: vscode.l10n.t('Continue in Editor'),
};
const PASTE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('clippy'),
  tooltip: vscode.l10n.t('Paste Clipboard into Editor (keeps line breaks)'),
};

export interface PromptBoxOptions extends PromptTarget {
  title: string;
  placeholder: string;
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

/** A text that was not typed, and how to continue with it in the editor. */
export type GivenText = PromptTarget &
  Required<Pick<PromptBoxOptions, 'compose'>> &
  Pick<PromptRequest, 'time' | 'isFromProgram'> & { text: string };

/** Asks for a prompt without ever losing it: typed text is kept until it is saved elsewhere. */
export class PromptBox {
  constructor(private readonly options: { drafts: Drafts; guard: SendGuard; log: Logger }) {}

  /**
   * Returns the job once the prompt was sent, or undefined when the box was closed. While the prompt can't be saved, the
   * box stays open with its text and shows the reason.
   */
  async ask(options: PromptBoxOptions): Promise<TrackedJob | undefined> {
    const { title, placeholder, value: initial = '', draft, hint, allowEmpty = false, other, compose } = options;
    const { drafts } = this.options;
    const text = (await drafts.open(draft)) ?? initial;
    const box = vscode.window.createInputBox();
    box.title = title;
    box.placeholder = placeholder;
    const icon = new vscode.ThemeIcon(other?.time === 'now' ? 'send' : 'clock');
    const second: vscode.QuickInputButton = { iconPath: icon, tooltip: other?.label ?? '' };
    box.buttons = [...(other === undefined ? [] : [second]), ...(compose === undefined ? [] : [COMPOSE, PASTE])];
    const session = new PromptSession({ box, drafts, draft, text, initial, hint, allowEmpty });
    box.onDidTriggerButton((button) =>
      session.choose(button === COMPOSE ? 'edit' : button === PASTE ? 'paste' : (other?.time ?? 'enter')),
    );
    let failure: unknown;
    for (let choice = await session.next(); choice !== undefined; choice = await session.next()) {
      const result = await this.act(options, session.text, choice);
      if (result.outcome === 'sent' || result.outcome === 'saved') {
        session.accept();
        return result.outcome === 'sent' ? result.sending.finished : undefined;
      }
      const error = result.outcome === 'failed' ? result.error : undefined;
      session.reject(error === undefined ? undefined : saveErrorText(error, toBoxLine));
      failure = session.isClosed ? error : undefined;
    }
    const unsaved: unknown = await session.close().catch((error: unknown) => error);
    this.offer(failure ?? unsaved, options);
    return undefined;
  }

  /** Sends a text without a box. If saving it fails, it opens in the editor. */
  async send({ text, compose, ...target }: GivenText): Promise<TrackedJob | undefined> {
    const edit = (): Promise<unknown> => compose(text);
    const result = await sendPrompt(this.options, { ...target, text: () => text, edit });
    if (result.outcome === 'failed') {
      void vscode.window.showErrorMessage(saveErrorText(result.error, toNotice));
      await edit().catch(async (failure: unknown) => {
        this.options.log.error('couldn’t open a prompt in the editor', failure);
        // If not even a draft can be saved, the text is in an unsaved document of the editor.
        await vscode.window.showTextDocument(
          await vscode.workspace.openTextDocument({ content: text, language: 'markdown' }),
        );
      });
    }
    return result.outcome === 'sent' ? result.sending.finished : undefined;
  }

  /** Does with a text what the user has chosen. */
  private async act({ compose, ...target }: PromptBoxOptions, text: string, choice: Choice): Promise<Outcome> {
    const edit = async (pasted = ''): Promise<void> => {
      try {
        await compose?.([text, pasted].filter((each) => !isBlank(each)).join('\n\n'));
      } catch (error) {
        const why = toBoxLine(whyUnsaved(error), 200);
        const text = vscode.l10n.t('Couldn’t open the prompt in the editor: {0}. Its text was kept here.', why);
        throw new PromptError(text, { cause: error });
      }
    };
    if (choice !== 'edit' && choice !== 'paste') {
      return sendPrompt(this.options, {
        ...target,
        text: () => text,
        time: choice === 'enter' ? undefined : choice,
        ...(compose && { edit: () => edit() }),
      });
    }
    try {
      await edit(choice === 'paste' ? await vscode.env.clipboard.readText() : '');
      return { outcome: 'saved' };
    } catch (error) {
      this.options.log.error('couldn’t open a prompt in the editor', error);
      return { outcome: 'failed', error };
    }
  }

  /** Offers to open a text again that neither a prompt nor a draft could be saved from. */
  private offer(error: unknown, options: PromptBoxOptions): void {
    if (error === undefined) {
      return;
    }
    const open = vscode.l10n.t('Open Prompt');
    const reopen = async (): Promise<void> => {
      if ((await vscode.window.showErrorMessage(saveErrorText(error, toNotice), open)) === open) {
        await this.ask(options);
      }
    };
    reopen().catch((failure: unknown) => this.options.log.error('couldn’t reopen a prompt', failure));
  }
}

/** What the user wants: send the text, by Enter or at a chosen time, or continue in the editor. */
type Choice = SendTime | 'enter' | 'edit' | 'paste';

interface PromptSessionOptions {
  box: vscode.InputBox;
  drafts: Pick<Drafts, 'type' | 'flush' | 'drop' | 'onDidChange'>;
  /** The draft key. */
  draft: string;
  /** The text that the box starts with, which may be a draft. */
  text: string;
  /** The default text, which is not a draft. */
  initial: string;
  hint?: string | undefined;
  allowEmpty: boolean;
}

/**
 * The text of an input box from opening to closing, which is also its draft. After `next`, the box stays open and busy
 * until the text is stored elsewhere (`accept`) or the user has to go on (`reject`).
 */
class PromptSession {
  /** Further lines, carried along unchanged: the box holds a single line, and would flatten the others. */
  private rest: readonly string[] = [];
  /** What the box shows while its text is being sent. */
  private sending: string | undefined;
  private hidden = false;
  private lastTyped: string | undefined;
  /** Text typed elsewhere while this text was being sent; it is not part of what was sent. */
  private newer: string | undefined;
  private resolveNext: (choice: Choice | undefined) => void = () => undefined;
  private readonly elsewhere: Disposable;

  constructor(private readonly options: PromptSessionOptions) {
    const { box, drafts, draft, text } = options;
    this.show(text);
    box.ignoreFocusOut = true;
    // By default VS Code selects the whole value, and the first key would replace it.
    box.valueSelection = [box.value.length, box.value.length];
    this.elsewhere = drafts.onDidChange(draft, (other) => this.onTypedElsewhere(other));
    box.onDidChangeValue(() => this.onTyped());
    box.onDidAccept(() => this.choose('enter'));
    box.onDidHide(() => {
      this.hidden = true;
      box.dispose();
      if (this.sending === undefined) {
        this.resolveNext(undefined);
      }
    });
    box.show();
  }

  /** All lines of the text. */
  get text(): string {
    return [this.options.box.value, ...this.rest].join('\n');
  }

  get isClosed(): boolean {
    return this.hidden;
  }

  /** Resolves when the user has decided about the text, or to undefined once the box is closed. */
  next(): Promise<Choice | undefined> {
    return new Promise((resolve) => {
      this.resolveNext = resolve;
      if (this.hidden) {
        resolve(undefined);
      }
    });
  }

  /** The user has decided about the text. */
  choose(choice: Choice): void {
    const { box, allowEmpty } = this.options;
    if (this.sending !== undefined) {
      return;
    }
    const isEmpty = isBlank(this.text) && choice !== 'edit' && choice !== 'paste';
    if (isEmpty && !allowEmpty) {
      box.validationMessage = vscode.l10n.t('Enter a prompt.');
      return;
    }
    this.sending = box.value;
    box.busy = true;
    box.validationMessage = undefined;
    this.resolveNext(choice);
  }

  /** The text is stored elsewhere: closes the box and drops the draft. */
  accept(): void {
    const { box, drafts, draft } = this.options;
    this.elsewhere.dispose();
    if (this.newer === undefined) {
      void drafts.drop(draft);
    }
    box.hide();
  }

  /** The text is not stored elsewhere: the box goes on with it. */
  reject(message?: string): void {
    const { box } = this.options;
    const { newer, text } = this;
    this.sending = this.newer = undefined;
    if (newer === undefined) {
      this.type(text);
    } else {
      this.adopt(newer);
    }
    if (!this.hidden) {
      box.busy = false;
      box.validationMessage = message;
      box.show();
    }
  }

  /** Closes the box and saves its text as a draft. Rejects if that fails: then the text is in memory only. */
  async close(): Promise<void> {
    const { box, drafts, draft } = this.options;
    this.elsewhere.dispose();
    await drafts.flush(draft).finally(() => box.hide());
  }

  private onTyped(): void {
    const { box, initial } = this.options;
    if (this.sending !== undefined) {
      // The text is being sent as it was when Enter was pressed; later keystrokes would be in no prompt.
      box.value = this.sending;
      return;
    }
    box.validationMessage = undefined;
    this.type(this.text === initial ? '' : this.text);
  }

  private onTypedElsewhere(text: string): void {
    if (this.sending !== undefined) {
      this.newer = text === this.text ? undefined : text;
    } else if (text !== this.lastTyped && text !== this.text) {
      this.adopt(text);
      // It was sent or deleted there. An empty box would only be in the way.
      if (text === '') {
        this.options.box.hide();
      }
    }
  }

  private type(text: string): void {
    this.lastTyped = text;
    this.options.drafts.type(this.options.draft, text);
  }

  private adopt(text: string): void {
    this.lastTyped = text;
    this.show(text);
  }

  private show(text: string): void {
    const { box, hint = '' } = this.options;
    [box.value = '', ...this.rest] = text.split('\n');
    const lines = this.rest.length;
    const more = lines === 0 ? '' : restHint(lines);
    box.prompt = [hint, more].filter((each) => each !== '').join(' ') || undefined;
  }
}

function restHint(lines: number): string {
  return lines === 1
    ? vscode.l10n.t('1 more line is sent unchanged.')
    : vscode.l10n.t('{0} more lines are sent unchanged.', lines);
}
