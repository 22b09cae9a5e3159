import type { SendTime } from '../../../platform/sendTime';
import type { FromPage } from '../model';

/** The text in the follow-up box and its send state. No transition loses typed text. */
export interface DraftBox {
  readonly text: string;
  /** The text being sent to the extension. */
  readonly sending?: string | undefined;
  /** Shown below the box: why nothing was sent. */
  readonly problem?: string | undefined;
}

export type DraftEvent =
  | { readonly type: 'typed'; readonly text: string }
  /** Text that the page offers, which goes below what was typed. */
  | { readonly type: 'added'; readonly text: string }
  | { readonly type: 'send' }
  /** Nothing can be sent now, or the box is empty. */
  | { readonly type: 'refused'; readonly why: string }
  /** A saved draft, or text typed elsewhere. `told` is the last text that the extension had received from this box. */
  | { readonly type: 'draft'; readonly text: string; readonly told: string }
  /** The page may have been reloaded since this text was sent. */
  | { readonly type: 'kept'; readonly text: string }
  | { readonly type: 'notKept'; readonly why?: string | undefined };

export const EMPTY_BOX: DraftBox = { text: '' };

export function nextDraft(box: DraftBox, event: DraftEvent): DraftBox {
  switch (event.type) {
    case 'typed':
      return { text: event.text, sending: box.sending };
    case 'added':
      return { text: box.text.includes(event.text) ? box.text : joined(box.text, event.text), sending: box.sending };
    case 'send':
      return box.sending === undefined ? { text: box.text, sending: box.text } : box;
    case 'refused':
      return { ...box, problem: event.why };
    case 'draft':
      return { ...box, text: box.text === event.told ? event.text : joined(event.text, box.text) };
    case 'kept':
      return {
        text: box.text === event.text ? '' : box.text,
        sending: box.sending === event.text ? undefined : box.sending,
      };
    case 'notKept':
      return { text: box.text, problem: event.why };
  }
}

/** Keeps both texts when the user typed before the other one arrived. */
function joined(draft: string, typed: string): string {
  return typed === '' || typed === draft ? draft : draft === '' ? typed : `${draft}\n\n${typed}`;
}

/** The follow-up box and its messages to the extension. */
export interface DraftController {
  readonly box: DraftBox;
  take(event: DraftEvent): void;
  send(when: SendTime | undefined): void;
  /** Sends the draft right away, because the page may be closed at any moment. */
  flush(): void;
  /** Calls back after each change. Returns a function that unsubscribes. */
  onChange(callback: () => void): () => void;
}

/**
 * Up to this length, in characters, the text is sent on every keystroke, because the page can be closed at any time.
 */
const AT_ONCE = 50_000;

/** Longer text is sent this long after the last keystroke, in milliseconds. */
const PAUSE = 250;

export function createDraftController(post: (message: FromPage) => void): DraftController {
  const callbacks = new Set<() => void>();
  let box = EMPTY_BOX;
  let told = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    if (box.text !== told) {
      told = box.text;
      post({ type: 'draft', text: told });
    }
  };
  const take = (event: DraftEvent): void => {
    box = nextDraft(box, event);
    if (event.type === 'draft') {
      // The extension has this text; only what was typed besides it must be sent.
      told = event.text;
    }
    clearTimeout(timer);
    if (box.text.length <= AT_ONCE) {
      flush();
    } else {
      timer = setTimeout(flush, PAUSE);
    }
    callbacks.forEach((callback) => callback());
  };
  return {
    get box() {
      return box;
    },
    take,
    flush,
    send: (when) => {
      if (box.sending === undefined) {
        flush();
        take({ type: 'send' });
        post({ type: 'send', text: box.text, ...(when === undefined ? {} : { when }) });
      }
    },
    onChange: (callback) => {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}
