import { type ContextBlock, placeName, renderBlock } from './contextBlock';
import { elide, shareBudget } from './elide';
import type { TextPlace } from './textPlace';

/** A piece of text that the user selected. Lines count from 1. */
export interface SelectedText extends TextPlace {
  startLine: number;
  endLine: number;
  languageId: string;
  text: string;
}

/** The selected text itself as the prompt, where no instruction was typed. */
export function selectionAlone(selections: readonly SelectedText[]): string {
  return selections.map((selection) => selection.text).join('\n\n');
}

/** The instruction, and below it each selection whole as context with path, lines and language. */
export function promptWithSelections(instruction: string, selections: readonly SelectedText[]): string {
  return [instruction.trim(), ...selections.map((selection) => renderBlock(selectionBlock(selection)))].join('\n\n');
}

/** The selections within a budget of characters that they share. */
export function selectionBlocks(selections: readonly SelectedText[], budget: number): ContextBlock[] {
  const shares = shareBudget(
    selections.map(({ text }) => text.length),
    budget,
  );
  return selections.map((selection, index) => {
    const block = selectionBlock(selection);
    return { ...block, text: elide(block.text, shares[index] ?? 0) };
  });
}

function selectionBlock({ path, notes, startLine, endLine, languageId, text }: SelectedText): ContextBlock {
  const heading = `From ${placeName({ path, lines: { start: startLine, end: endLine } })}`;
  return { heading, notes, languageId, text };
}
