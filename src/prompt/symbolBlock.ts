import { type ContextBlock, placeName } from './contextBlock';
import { elide } from './elide';
import { codeSpan } from './fence';
import type { TextPlace } from './textPlace';

export interface SymbolText extends TextPlace {
  /** What it is, in a word: “Method”. */
  kind: string;
  /** With what it is in: “Client.send”. */
  fullName: string;
  /** Lines count from 1, its comment above included. */
  startLine: number;
  endLine: number;
  languageId: string;
  text: string;
}

/** One symbol with the comment above it. */
export function symbolBlock(symbol: SymbolText, budget: number): ContextBlock {
  const { kind, fullName, path, notes, startLine, endLine, languageId, text } = symbol;
  const place = placeName({ path, lines: { start: startLine, end: endLine } });
  return { heading: `${kind} ${codeSpan(fullName)} from ${place}`, notes, languageId, text: elide(text, budget) };
}
