import { stripVTControlCharacters } from 'node:util';
import type { ContextBlock } from './contextBlock';
import { elide } from './elide';

/** What was selected in a terminal. */
export function terminalBlock(text: string, budget: number): ContextBlock {
  return { heading: 'From the terminal', notes: [], languageId: 'text', text: elide(terminalText(text), budget) };
}

/** The text without colours, cursor moves and other control characters, and without blanks that only fill a line. */
export function terminalText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\t\n])\p{Cc}/gu, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+/, '')
    .trimEnd();
}
