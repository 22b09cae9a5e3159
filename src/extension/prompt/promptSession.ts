import type * as vscode from 'vscode';
import type { Drafts } from './drafts';

/**
 * Thrown by `keep` when the user does not want to send after all; `look` when they want to see the text in the editor,
 * `stays` when they go on in the box.
 */
export class HeldBackError extends Error {
  constructor(
    readonly look: boolean,
    readonly stays = false,
  ) {
    super('the prompt was held back');
  }
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
  drafts: Pick<Drafts, 'type' | 'flush' | 'drop'>;
  /** Names what the text is for. */
  target: string;
  /** The text that stands there by default, which is no draft. */
  initial: string;
  /** Lines that go along below what is typed. */
  rest: readonly string[];
  allowEmpty: boolean;
  /** Another way to say that the text is ready, beside Enter. */
  onDidAccept?: (listener: () => void) => { dispose(): void };
  /** Resolves when the text is kept; nothing that was typed goes before. */
  keep: (text: string) => Promise<T>;
  words: { empty: string; notKept: (error: unknown) => string };
}

/** How a session ended: the text was kept, the box was closed before, or it was closed and then could not be kept, or was held back. */
export type SessionEnd<T> = { kept: T } | { closed: true } | { lost: unknown } | { heldBack: string; look: boolean };

/** One box from its opening to its end. It closes by itself only when the text is kept. */
export function runSession<T>(options: SessionOptions<T>): Promise<SessionEnd<T>> {
  const { box, drafts, target, rest } = options;
  const whole = (): string => [box.value, ...rest].join('\n');
  let sending: string | undefined;
  let hidden = false;
  return new Promise((resolve) => {
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
        resolve({ kept });
        void drafts.drop(target);
        box.hide();
      } catch (error) {
        sending = undefined;
        drafts.type(target, text);
        if (error instanceof HeldBackError && error.stays && !hidden) {
          box.busy = false;
          box.show();
          return;
        }
        if (error instanceof HeldBackError) {
          await drafts.flush(target);
          resolve({ heldBack: text, look: error.look });
          box.hide();
          return;
        }
        if (hidden) {
          await drafts.flush(target);
          resolve({ lost: error });
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
      drafts.type(target, whole() === options.initial ? '' : whole());
    });
    box.onDidAccept(() => void accept());
    options.onDidAccept?.(() => void accept());
    box.onDidHide(() => {
      hidden = true;
      box.dispose();
      if (sending === undefined) {
        void drafts.flush(target);
        resolve({ closed: true });
      }
    });
    box.show();
  });
}
