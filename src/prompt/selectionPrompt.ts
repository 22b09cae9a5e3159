import { type ContextBlock, placeName, renderBlock } from './contextBlock';
import { elide, shareBudget } from './budgets';
import type { TextPlace } from './blocks';

/** A piece of text that the user selected. Lines count from 1. */
export interface SelectedText extends TextPlace {
  startLine: number;
  endLine: number;
  languageId: string;
  text: string;
}

/** More than this, in characters, is hardly what somebody means to send without another look. */
const LONG = 20_000;

export function selectionLength(selections: readonly SelectedText[]): number {
  return selections.reduce((sum, { text }) => sum + text.length, 0);
}

export function isLongSelection(selections: readonly SelectedText[]): boolean {
  return selectionLength(selections) > LONG;
}

/** The instruction, or a plain one, and below it each selection whole as context with path, lines and language. */
export function promptWithSelections(instruction: string, selections: readonly SelectedText[]): string {
  const asked = instruction.trim() === '' ? plainInstruction(selections) : instruction.trim();
  return [asked, ...selections.map((selection) => renderBlock(selectionBlock(selection)))].join('\n\n');
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

/** The first line of a prompt is the title of its job and its pull request: it names the place. */
function plainInstruction([first, second, ...more]: readonly SelectedText[]): string {
  const whole = 'or else bring it up to date with the code.';
  if (first === undefined || second === undefined) {
    const place = first === undefined ? '' : ` from ${placeOf(first)}`;
    return `Work on the text${place}: do what it asks for, ${whole}`;
  }
  const rest = more.length === 0 ? placeOf(second) : `${more.length + 1} more places`;
  return `Work on the texts from ${placeOf(first)}, and ${rest}: do what they ask for, ${whole.replace('it', 'them')}`;
}

function placeOf({ path, startLine, endLine }: SelectedText): string {
  return placeName({ path, lines: { start: startLine, end: endLine } });
}

function selectionBlock(selection: SelectedText): ContextBlock {
  const { notes, languageId, text } = selection;
  return { heading: `From ${placeOf(selection)}`, notes, languageId, text };
}
