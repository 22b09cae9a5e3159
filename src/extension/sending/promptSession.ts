import type * as vscode from 'vscode';
import type { TrackedJob } from '../../jobs/trackedJob';
import type { SendTime } from '../platform/sendTime';
import type { Drafts } from './drafts';

/**
 * Thrown by `keep` when the user does not want to send after all: the box closes, the text opens in the editor, or the
 * user stays in the box.
 */
export class SendCancelled extends Error {
  constructor(readonly next: 'close' | 'edit' | 'stay') {
    super('the prompt was not sent');
  }
}

/** A time to send that is not the one of Enter, and what the act is called. */
export interface OtherTime {
  time: SendTime;
  label: string;
}

/** The editor documents of follow-ups, as other features use them. */
export interface FollowUpEditor {
  textForJob(job: TrackedJob): Promise<string>;
  openForJob(job: TrackedJob, text?: string): Promise<unknown>;
  appendForJob(job: TrackedJob, text?: string): Promise<unknown>;
}

/** What a session needs of VS Code's box. */
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
  /** Names what the text is for. */
  target: string;
  /** The text that stands there by default, which is no draft. */
  initial: string;
  /** Lines that go along below what is typed. */
  rest: readonly string[];
  /** They are others now: the text was changed elsewhere. */
  onRest?: (rest: readonly string[]) => void;
  allowEmpty: boolean;
  /** Another way to say that the text is ready, beside Enter. */
  onDidAccept?: (listener: () => void) => { dispose(): void };
  /** Resolves when the text is kept; nothing that was typed goes before. */
  keep: (text: string) => Promise<T>;
  words: { empty: string; notKept: (error: unknown) => string };
}

/** How a session ended: the text was kept, the box was closed before, or it was closed and the text could not be kept, or was held back. */
export type SessionEnd<T> = { kept: T } | { closed: true } | { lost: unknown } | { heldBack: string; look: boolean };

/** One box from its opening to its end. It closes by itself only when the text is kept. */
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
  /** What stood there was typed over elsewhere while it was on its way: that is no part of what was sent. */
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
  /** Writes down what was typed; what the disk refuses is in memory, and the user is told by the way that the session ends. */
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
        // What is on its way is what stood there at Enter; a key that comes later would be in no prompt.
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
