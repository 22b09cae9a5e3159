import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';

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
