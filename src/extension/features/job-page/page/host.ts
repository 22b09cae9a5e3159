import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { Format } from '../../../presentation/format';
import type { FromPage, PageLabels, SavedState } from '../model';

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: SavedState): void;
};

const editor = acquireVsCodeApi();

export function post(message: FromPage): void {
  editor.postMessage(message);
}

/** What the editor saves for this page, with the latest changes. */
export let saved: SavedState = {
  folds: [],
  scroll: 0,
  ...(editor.getState() as Partial<SavedState> | undefined),
  jobKey: document.body.dataset['jobKey'] ?? '',
};
editor.setState(saved);

/** Scrolling changes the state often. In milliseconds. */
const SAVE_AFTER = 200;
let saving: ReturnType<typeof setTimeout> | undefined;

export function save(change: Partial<SavedState>): void {
  saved = { ...saved, ...change };
  clearTimeout(saving);
  saving = setTimeout(() => editor.setState(saved), SAVE_AFTER);
}

/** Returns whether a text is expanded, and a function that toggles it. Survives new models and a reload. */
export function useFold(key: string): [isOpen: boolean, toggle: () => void] {
  const [isOpen, setOpen] = useState(() => saved.folds.includes(key));
  const toggle = (): void => {
    const others = saved.folds.filter((each) => each !== key);
    save({ folds: isOpen ? others : [...others, key] });
    setOpen(!isOpen);
  };
  return [isOpen, toggle];
}

/** Shared by all parts of the page. */
export interface Tools {
  readonly words: PageLabels;
  readonly format: Format;
}

export const ToolsContext = createContext<Tools | undefined>(undefined);

export function useTools(): Tools {
  const tools = useContext(ToolsContext);
  if (tools === undefined) {
    throw new Error('a part of the page was used outside of it');
  }
  return tools;
}
