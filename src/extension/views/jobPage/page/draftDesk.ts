import type { SendTime } from '../../../prompt/sendTime';
import type { FromPage } from '../model';
import { type DraftBox, type DraftEvent, EMPTY_BOX, nextDraft } from './draftBox';

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
