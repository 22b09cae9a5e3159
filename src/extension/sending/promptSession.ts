import type * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';
import type { TrackedJob } from '../../jobs/trackedJob';
import type { SendTime } from '../platform/sendTime';
import type { Drafts } from './drafts';

/**
 * The user decided not to send. `next` is what happens then: the box closes, the text opens in the editor, or the user
 * stays in the box.
 */
export class SendCancelled extends Error {
  constructor(readonly next: 'close' | 'edit' | 'stay') {
    super('the prompt was not sent');
  }
}

/** A time to send other than the one that Enter selects, and its label. */
export interface OtherTime {
  time: SendTime;
  label: string;
}

/** The editor documents of follow-ups, for use by other features. */
export interface FollowUpEditor {
  textForJob(job: TrackedJob): Promise<string>;
  openForJob(job: TrackedJob, text?: string): Promise<unknown>;
  appendForJob(job: TrackedJob, text?: string): Promise<unknown>;
}

export interface PromptSessionOptions {
  box: Pick<
    vscode.InputBox,
    | 'value'
    | 'busy'
    | 'validationMessage'
    | 'onDidChangeValue'
    | 'onDidAccept'
    | 'onDidHide'
    | 'show'
    | 'hide'
    | 'dispose'
  >;
  drafts: Pick<Drafts, 'type' | 'flush' | 'drop' | 'onDidChange'>;
  /** The draft key. */
  draft: string;
  /** The default text, which is not a draft. */
  initial: string;
  /** Further lines of the text, which the box can't show. */
  rest: readonly string[];
  /** Called with new further lines after the text was changed elsewhere. */
  onRest?: (rest: readonly string[]) => void;
  allowEmpty: boolean;
  /** What the box says when an empty text is entered. */
  emptyText: string;
}

/** A text that the user has entered, and when to send it, if that was said. */
export interface EnteredText {
  text: string;
  time?: SendTime | undefined;
}

/**
 * The text of an input box from opening to closing, which is also its draft. After `next`, the box stays open and busy
 * until the text is stored elsewhere (`accept`) or the user has to go on (`reject`).
 */
export class PromptSession {
  private rest: readonly string[];
  /** What the box shows while its text is being sent. */
  private sending: string | undefined;
  private hidden = false;
  private lastTyped: string | undefined;
  /** Text typed elsewhere while this text was being sent; it is not part of what was sent. */
  private newer: string | undefined;
  private resolveNext: (entered: EnteredText | undefined) => void = () => undefined;
  private readonly elsewhere: Disposable;

  constructor(private readonly options: PromptSessionOptions) {
    const { box, drafts, draft, rest } = options;
    this.rest = rest;
    this.elsewhere = drafts.onDidChange(draft, (text) => this.onTypedElsewhere(text));
    box.onDidChangeValue(() => this.onTyped());
    box.onDidAccept(() => this.enter());
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

  /** Resolves when the user enters the text, or to undefined once the box is closed. */
  next(): Promise<EnteredText | undefined> {
    return new Promise((resolve) => {
      this.resolveNext = resolve;
      if (this.hidden) {
        resolve(undefined);
      }
    });
  }

  /** The user enters the text, by another way than Enter if a time is given. */
  enter(time?: SendTime): void {
    const { box, allowEmpty, emptyText } = this.options;
    const { text } = this;
    if (this.sending !== undefined) {
      return;
    }
    if (text.trim() === '' && !allowEmpty) {
      box.validationMessage = emptyText;
      return;
    }
    this.sending = box.value;
    box.busy = true;
    box.validationMessage = undefined;
    this.resolveNext({ text, time });
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
    const { box, onRest } = this.options;
    [box.value = '', ...this.rest] = text.split('\n');
    this.lastTyped = text;
    onRest?.(this.rest);
  }
}
