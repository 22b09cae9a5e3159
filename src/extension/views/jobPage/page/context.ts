import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
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
