import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { FromPage, PageWords } from '../model';
import { type Format, formatOf } from './format';

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
