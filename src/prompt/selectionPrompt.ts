import { type ContextBlock, placeName, renderBlock } from './contextBlock';

/** A piece of text that the user selected. Lines count from 1. */
export interface SelectedText {
  path: string;
  startLine: number;
  endLine: number;
  languageId: string;
  text: string;
}

/** The selected text itself as the prompt, where no instruction was typed. */
export function selectionAlone(selections: readonly SelectedText[]): string {
  return selections.map((selection) => selection.text).join('\n\n');
}

/** The instruction, and below it each selection as context with path, lines and language. */
export function promptWithSelections(instruction: string, selections: readonly SelectedText[]): string {
  return [instruction.trim(), ...selections.map((selection) => renderBlock(selectionBlock(selection)))].join('\n\n');
}

export function selectionBlock({ path, startLine, endLine, languageId, text }: SelectedText): ContextBlock {
  const heading = `From ${placeName({ path, lines: { start: startLine, end: endLine } })}`;
  return { heading, notes: [], languageId, text };
}
