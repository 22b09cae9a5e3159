import type * as vscode from 'vscode';
import type { TrackedJob } from '../../jobs/trackedJob';
import type { SendTime } from '../platform/sendTime';
import type { Drafts } from './drafts';

/**
 * Thrown by `keep` if the user decides not to send. `next` is what happens then: the box closes, the text opens in the
 * editor, or the user stays in the box.
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

/** The part of VS Code's input box that a session uses. */
export type Box = Pick<
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

export interface SessionOptions<T> {
  box: Box;
  drafts: Pick<Drafts, 'type' | 'flush' | 'drop' | 'onDidChange'>;
  /** The draft target. */
  target: string;
  /** The default text, which is not a draft. */
  initial: string;
  /** Further lines of the text, which the box can't show. */
  rest: readonly string[];
  /** Called with new further lines after the text was changed elsewhere. */
  onRest?: (rest: readonly string[]) => void;
  allowEmpty: boolean;
  /** Another way to accept the text besides Enter. */
  onDidAccept?: (listener: () => void) => { dispose(): void };
  /** Resolves once the text is stored. The typed text is not discarded before that. */
  keep: (text: string) => Promise<T>;
  words: { empty: string; notKept: (error: unknown) => string };
}

/**
 * How a session ended: the text was stored, the box was closed first, the box was closed and the text could not be
 * stored, or sending was cancelled.
 */
export type SessionEnd<T> = { kept: T } | { closed: true } | { lost: unknown } | { heldBack: string; look: boolean };

/** Runs an input box from opening to closing. It closes on its own only once the text is stored. */
export function runSession<T>(options: SessionOptions<T>): Promise<SessionEnd<T>> {
  const { box, drafts, target } = options;
  let { rest } = options;
  const whole = (): string => [box.value, ...rest].join('\n');
  let sending: string | undefined;
  let hidden = false;
  let told: string | undefined;
  const tell = (text: string): void => {
    told = text;
    drafts.type(target, text);
  };
  /** Text typed elsewhere while this text was being sent; it is not part of what was sent. */
  let newer: string | undefined;
  const take = (text: string): void => {
    [box.value = '', ...rest] = text.split('\n');
    told = text;
    options.onRest?.(rest);
  };
  const elsewhere = drafts.onDidChange(target, (text) => {
    if (sending !== undefined) {
      newer = text === whole() ? undefined : text;
    } else if (text !== told && text !== whole()) {
      take(text);
    }
  });
  /**
   * Saves the typed text. If the write fails, the text stays in memory, and the session's result reports the failure.
   */
  const unsaved = (): Promise<{ error: unknown } | undefined> =>
    drafts.flush(target).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  return new Promise((resolve) => {
    const end = (how: SessionEnd<T>): void => {
      elsewhere.dispose();
      resolve(how);
    };
    const accept = async (): Promise<void> => {
      if (sending !== undefined) {
        return;
      }
      const text = whole();
      if (text.trim() === '' && !options.allowEmpty) {
        box.validationMessage = options.words.empty;
        return;
      }
      sending = box.value;
      box.busy = true;
      box.validationMessage = undefined;
      try {
        const kept = await options.keep(text);
        end({ kept });
        if (newer === undefined) {
          void drafts.drop(target);
        }
        box.hide();
      } catch (error) {
        const other = newer;
        sending = newer = undefined;
        if (other === undefined) {
          tell(text);
        } else {
          take(other);
        }
        if (error instanceof SendCancelled && error.next === 'stay' && !hidden) {
          box.busy = false;
          box.show();
          return;
        }
        if (error instanceof SendCancelled) {
          const look = error.next === 'edit';
          const failure = await unsaved();
          end(failure === undefined || look ? { heldBack: other ?? text, look } : { lost: failure.error });
          box.hide();
          return;
        }
        if (hidden) {
          await unsaved();
          end({ lost: error });
          return;
        }
        box.busy = false;
        box.validationMessage = options.words.notKept(error);
      }
    };
    box.onDidChangeValue(() => {
      if (sending !== undefined) {
        // The text is being sent as it was when Enter was pressed; later keystrokes would be in no prompt.
        box.value = sending;
        return;
      }
      box.validationMessage = undefined;
      tell(whole() === options.initial ? '' : whole());
    });
    box.onDidAccept(() => void accept());
    options.onDidAccept?.(() => void accept());
    box.onDidHide(() => {
      hidden = true;
      box.dispose();
      if (sending === undefined) {
        elsewhere.dispose();
        void unsaved().then((failure) => end(failure === undefined ? { closed: true } : { lost: failure.error }));
      }
    });
    box.show();
  });
}
