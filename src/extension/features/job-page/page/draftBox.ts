import type { SendTime } from '../../../platform/sendTime';
import type { FromPage } from '../model';

/** What stands in the follow-up box and what has become of it. Nothing here loses a text that was typed. */
export interface DraftBox {
  readonly text: string;
  /** What is on its way to the extension. */
  readonly sending?: string | undefined;
  /** Told below the box: why nothing was sent. */
  readonly problem?: string | undefined;
}

export type DraftEvent =
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'send' }
  /** Nothing can be sent now, or nothing was typed. */
  | { readonly type: 'refused'; readonly why: string }
  /** What was left, or typed elsewhere, when the extension had heard of this box last that it held `told`. */
  | { readonly type: 'draft'; readonly text: string; readonly told: string }
  | { readonly type: 'kept' }
  | { readonly type: 'notKept'; readonly why?: string | undefined };

export const EMPTY_BOX: DraftBox = { text: '' };

export function nextDraft(box: DraftBox, event: DraftEvent): DraftBox {
  switch (event.type) {
    case 'typed':
      return { text: event.text, sending: box.sending };
    case 'send':
      return box.sending === undefined ? { text: box.text, sending: box.text } : box;
    case 'refused':
      return { ...box, problem: event.why };
    case 'draft':
      return { ...box, text: box.text === event.told ? event.text : joined(event.text, box.text) };
    case 'kept':
      return { text: box.text === box.sending ? '' : box.text };
    case 'notKept':
      return { text: box.text, problem: event.why };
  }
}

/** Whoever typed before the other text had arrived keeps both. */
function joined(draft: string, typed: string): string {
  return typed === '' || typed === draft ? draft : draft === '' ? typed : `${draft}\n\n${typed}`;
}

/** The follow-up box and what it tells the extension. */
export interface DraftDesk {
  readonly box: DraftBox;
  take(event: DraftEvent): void;
  send(when: SendTime | undefined): void;
  /** Tells the draft now: the page may be gone in a moment. */
  flush(): void;
  /** Calls back after each change; returns how to end that. */
  onChange(callback: () => void): () => void;
}

/** A text up to this length is told with each letter, because the page can be closed at any of them. In characters. */
const AT_ONCE = 50_000;

/** So long after the last letter a longer one is told, in milliseconds. */
const PAUSE = 250;

export function openDraftDesk(post: (message: FromPage) => void): DraftDesk {
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
      // The extension has this one; what was typed beside it is news.
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
