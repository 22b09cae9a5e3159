import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { FromPage, KeptState, PageLabels, ToPage } from '../model';
import { type Format, formatOf } from '../../../presentation/format';
import type { StoryScroll } from './storySection';

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: unknown): void;
};

export type PageState = NonNullable<KeptState['page']>;

/** Access to the extension and to the state that the editor keeps for this page. */
export interface Host {
  readonly post: (message: FromPage) => void;
  /** Calls back for every message from now on. */
  listen(callback: (message: ToPage) => void): void;
  readonly kept: PageState;
  /** Saves the page's state, without changing what others put there. */
  keep(state: PageState): void;
}

export function connect(): Host {
  const api = acquireVsCodeApi();
  const ofHost = asObject(parsed(document.body.dataset['state']));
  const state = (): object => ({ ...asObject(api.getState()), ...ofHost });
  api.setState(state());
  return {
    post: (message) => api.postMessage(message),
    listen: (callback) => window.addEventListener('message', ({ data }) => callback(data as ToPage)),
    kept: pageStateOf((state() as { page?: unknown }).page),
    keep: (page) => api.setState({ ...state(), page }),
  };
}

/** The state may come from an older version. */
function pageStateOf(value: unknown): PageState {
  const { folds, scroll, storyScroll } = asObject(value) as Record<keyof PageState, unknown>;
  const entries = Object.entries(asObject(folds)).filter((entry): entry is [string, boolean] => entry[1] === true);
  return {
    folds: Object.fromEntries(entries),
    scroll: typeof scroll === 'number' ? scroll : 0,
    storyScroll: typeof storyScroll === 'number' ? storyScroll : undefined,
  };
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? '');
  } catch {
    return undefined;
  }
}

/** Scroll positions of the page and of the activity log. */
export interface KeptScroll {
  readonly story: StoryScroll;
  state(): Pick<PageState, 'scroll' | 'storyScroll'>;
  /** Restores the scroll position from when the page was closed. Works once. */
  restore(): void;
}

/** Debounce of scroll events, in milliseconds. */
const PAUSE = 200;

export function keepScroll(kept: Pick<PageState, 'scroll' | 'storyScroll'>, onChange: () => void): KeptScroll {
  let isRestored = false;
  let storyTop = kept.storyScroll;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, PAUSE);
  };
  window.addEventListener('scroll', changed, { passive: true });
  return {
    story: {
      get top() {
        return storyTop;
      },
      set: (top) => {
        storyTop = top;
        changed();
      },
    },
    state: () => ({ scroll: isRestored ? Math.round(window.scrollY) : kept.scroll, storyScroll: storyTop }),
    restore: () => {
      if (!isRestored) {
        isRestored = true;
        window.scrollTo(0, kept.scroll);
      }
    },
  };
}

/** Shared by all parts of the page. */
export interface Tools {
  readonly words: PageLabels;
  readonly format: Format;
  readonly post: (message: FromPage) => void;
}

export const ToolsContext = createContext<Tools | undefined>(undefined);

export function useTools(): Tools {
  const tools = useContext(ToolsContext);
  if (tools === undefined) {
    throw new Error('a part of the page was used outside of it');
  }
  return tools;
}

/** Caches the formatters of a language, because creating them is expensive. */
export function keepFormat(): (language: string) => Format {
  let kept: { language: string; format: Format } | undefined;
  return (language) => {
    if (kept?.language !== language) {
      kept = { language, format: formatOf(language) };
    }
    return kept.format;
  };
}

/** Which texts are expanded. Survives new models and a reload of the window. */
export interface Folds {
  isOpen(key: string): boolean;
  set(key: string, isOpen: boolean): void;
}

/** Maximum number of remembered texts; more would only be old entries that no one reads again. */
const MOST = 200;

export function openFolds(
  kept: Readonly<Record<string, boolean>>,
  onChange: () => void,
): Folds & { all(): Record<string, boolean> } {
  const open = new Set(Object.keys(kept));
  return {
    isOpen: (key) => open.has(key),
    set: (key, isOpen) => {
      open.delete(key);
      if (isOpen) {
        open.add(key);
      }
      onChange();
    },
    all: () => Object.fromEntries([...open].slice(-MOST).map((key) => [key, true])),
  };
}

export const FoldsContext = createContext<Folds>({ isOpen: () => false, set: () => undefined });

/** Returns whether a text is expanded, and a function that toggles it. */
export function useFold(key: string): [isOpen: boolean, toggle: () => void] {
  const folds = useContext(FoldsContext);
  const [isOpen, setOpen] = useState(() => folds.isOpen(key));
  return [
    isOpen,
    () => {
      folds.set(key, !isOpen);
      setOpen(!isOpen);
    },
  ];
}
