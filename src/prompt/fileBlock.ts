import { type ContextBlock, placeName } from './contextBlock';
import { elide } from './elide';
import type { TextPlace } from './textPlace';

export interface FileText extends TextPlace {
  languageId: string;
  text: string;
}

/** A whole file, or as much of it as the budget allows. */
export function fileBlock({ path, notes, languageId, text }: FileText, budget: number): ContextBlock {
  return { heading: `File ${placeName({ path })}`, notes, languageId, text: elide(text, budget) };
}
