/** A comment that is not sent yet. */
export interface Draft {
  path: string;
  side: 'old' | 'new';
  from: number;
  to: number;
  text: string;
}

/** What was sent and not answered yet: the answer may have been lost, and the comments have arrived all the same. */
export interface Pending {
  id: string;
  commit: string;
  comments: readonly Draft[];
}

/**
 * The drafts of this page, kept by the browser, so that no reload loses what was typed. Each tab has its own for as long as
 * it lives. A copy is for the tab in which the page is opened anew after the service was started again.
 */
export interface Drafts {
  all(): readonly Draft[];
  /** Those with a text. */
  written(): readonly Draft[];
  /** Returns the draft at these lines, made when there is none. */
  at(place: Omit<Draft, 'text'>): Draft;
  set(draft: Draft, text: string): void;
  remove(draft: Draft): void;
  pending(): Pending | undefined;
  setPending(pending: Pending | undefined): void;
  /** Forgets what has arrived, unless it was changed since. */
  arrived(sent: readonly Draft[]): void;
}

interface Kept {
  start?: string;
  drafts: Draft[];
  pending?: Pending;
}

/** Where drafts are kept: those of this tab, and the copy. */
export interface DraftPlaces {
  tab: Storage;
  copy: Storage;
  /** Under which they are kept. */
  key: string;
  /** Names this start of the service. A copy of the same start is of a tab that still lives. */
  start: string;
}

export function openDrafts({ tab, copy, key, start }: DraftPlaces, onChange: () => void): Drafts {
  const left = read(copy, key);
  const kept: Kept = read(tab, key) ?? (left?.start === start ? undefined : left) ?? { drafts: [] };
  const save = (): void => {
    try {
      const drafts = kept.drafts.filter(isWritten);
      const text = JSON.stringify({ ...kept, drafts, start });
      tab.setItem(key, text);
      if (drafts.length === 0 && kept.pending === undefined) {
        copy.removeItem(key);
      } else {
        copy.setItem(key, text);
      }
    } catch {
      // A browser that keeps nothing still shows what is typed.
    }
    onChange();
  };
  return {
    all: () => kept.drafts,
    written: () => kept.drafts.filter(isWritten),
    at: (place) => {
      const found = kept.drafts.find((draft) => isAt(draft, place));
      if (found !== undefined) {
        return found;
      }
      const made = { ...place, text: '' };
      kept.drafts.push(made);
      return made;
    },
    set: (draft, text) => {
      draft.text = text;
      save();
    },
    remove: (draft) => {
      kept.drafts = kept.drafts.filter((each) => each !== draft);
      save();
    },
    pending: () => kept.pending,
    setPending: (pending) => {
      if (pending === undefined) {
        delete kept.pending;
      } else {
        kept.pending = pending;
      }
      save();
    },
    arrived: (sent) => {
      kept.drafts = kept.drafts.filter((draft) => !sent.some((each) => isAt(each, draft) && each.text === draft.text));
      delete kept.pending;
      save();
    },
  };
}

function isWritten({ text }: Draft): boolean {
  return text.trim() !== '';
}

function isAt(one: Omit<Draft, 'text'>, other: Omit<Draft, 'text'>): boolean {
  return one.path === other.path && one.side === other.side && one.from === other.from && one.to === other.to;
}

/** What stands there was written by this page; anything else counts as nothing. */
function read(storage: Storage, key: string): Kept | undefined {
  try {
    const value = JSON.parse(storage.getItem(key) ?? '') as Partial<Kept> | null;
    if (value !== null && Array.isArray(value.drafts)) {
      return value as Kept;
    }
  } catch {
    // Nothing kept, or no storage.
  }
  return undefined;
}
