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
  return [instruction.trim(), ...selections.map(contextBlock)].join('\n\n');
}

function contextBlock(selection: SelectedText): string {
  const { startLine, endLine, text } = selection;
  const lines = startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
  const fence = fenceFor(text);
  const language = /^[\w+#.-]+$/.test(selection.languageId) ? selection.languageId : '';
  return [`From ${codeSpan(selection.path)}, ${lines}:`, '', fence + language, text.replace(/\n$/, ''), fence].join(
    '\n',
  );
}

/** A fence longer than any run of backticks in the text, so that the text can't end it (CommonMark 0.31, section 4.5). */
export function fenceFor(text: string): string {
  return '`'.repeat(Math.max(3, longestRun(text) + 1));
}

function codeSpan(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const ticks = '`'.repeat(longestRun(line) + 1);
  return ticks.length > 1 ? `${ticks} ${line} ${ticks}` : ticks + line + ticks;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) {
    longest = Math.max(longest, run.length);
  }
  return longest;
}
