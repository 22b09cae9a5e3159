import * as vscode from 'vscode';
import type { Disposable } from '../../../../base/disposable';
import type { SendTime } from '../../../platform/sendTime';
import type { Drafts } from '../../../sending/drafts';

/** What the user wants: send the text, by Enter or at a chosen time, or continue in the editor. */
export type Choice = SendTime | 'enter' | 'edit' | 'paste';

export interface PromptSessionOptions {
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
export class PromptSession {
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
    const isEmpty = this.text.trim() === '' && choice !== 'edit' && choice !== 'paste';
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
