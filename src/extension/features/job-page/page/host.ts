import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { FromPage, KeptState, PageWords, ToPage } from '../model';
import { type Format, formatOf } from './format';
import type { StoryScroll } from './storySection';

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: unknown): void;
};

export type PageState = NonNullable<KeptState['page']>;

/** The extension, and what the editor keeps of this page. */
export interface Host {
  readonly post: (message: FromPage) => void;
  /** Calls back for each message from now on. */
  listen(callback: (message: ToPage) => void): void;
  readonly kept: PageState;
  /** What others put into the state stays. */
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

/** It may be that of an older version. */
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

/** Where the reader is on the page and in its story. */
export interface KeptScroll {
  readonly story: StoryScroll;
  state(): Pick<PageState, 'scroll' | 'storyScroll'>;
  /** Goes to where the reader was when the page was closed; once. */
  restore(): void;
}

/** In milliseconds after the last movement. */
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

/** What every part of the page uses. */
export interface Tools {
  readonly words: PageWords;
  readonly format: Format;
  readonly post: (message: FromPage) => void;
}

export const ToolsContext = createContext<Tools | undefined>(undefined);

export function useTools(): Tools {
  const tools = useContext(ToolsContext);
  if (tools === undefined) {
    throw new Error('a part of the page outside of it');
  }
  return tools;
}

/** Makes formats once for a language: they are costly to make. */
export function keepFormat(): (language: string) => Format {
  let kept: { language: string; format: Format } | undefined;
  return (language) => {
    if (kept?.language !== language) {
      kept = { language, format: formatOf(language) };
    }
    return kept.format;
  };
}

/** Which texts the reader has unfolded: survives new models and a reload of the window. */
export interface Folds {
  isOpen(key: string): boolean;
  set(key: string, isOpen: boolean): void;
}

/** More would only be kept of a story that nobody reads again. */
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

/** Whether this is unfolded, and how to turn it. */
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
