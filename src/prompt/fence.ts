import { codePointName, replaceInvisible } from '../shared/util/invisible';

/** A fence longer than any run of backticks in the text, so that the text can't end it (CommonMark 0.31, section 4.5). */
export function fenceFor(text: string): string {
  return '`'.repeat(Math.max(3, longestRun(text) + 1));
}

/** Text of one line as code in a line of Markdown (CommonMark 0.31, section 6.1); nothing is hidden in it. */
export function codeSpan(text: string): string {
  const line = showControlCharacters(text.replace(/\s+/g, ' '));
  if (line.trim() === '') {
    // Two backticks would begin a span that something further on ends.
    return '(empty)';
  }
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

/**
 * A line in which nothing is hidden: control characters are shown by their pictures, other characters that can't be seen
 * by their numbers.
 */
export function showControlCharacters(line: string): string {
  return replaceInvisible(line, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) {
      return String.fromCodePoint(0x2400 + code);
    }
    return code === 0x7f ? '\u2421' : `[${codePointName(character)}]`;
  });
}
