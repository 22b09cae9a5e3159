import { codePointName, replaceInvisible } from '../base/text';

/** One piece of context of a prompt: what it is in a line, and its text in a fence. */
export interface ContextBlock {
  /** What it is, as one line of Markdown without an end mark: “From `src/a.ts`, lines 3-10”. */
  heading: string;
  /** What else is known of it, one line of Markdown each: its permalink, what of it the agent can't see. */
  notes: readonly string[];
  /** The fence's info string: VS Code's language identifier, or `diff`. */
  languageId: string;
  text: string;
}

/** A place in a file of the project. Lines count from 1; without them it is the whole file. */
export interface Place {
  path: string;
  lines?: { start: number; end: number };
}

/** “`src/a.ts`, lines 3-10”: Markdown that no path can break. */
export function placeName({ path, lines }: Place): string {
  if (lines === undefined) {
    return codeSpan(path);
  }
  const { start, end } = lines;
  return `${codeSpan(path)}, ${start === end ? `line ${start}` : `lines ${start}-${end}`}`;
}

/** The block as Markdown: heading, notes, and the text whole in a fence that it can't end. */
export function renderBlock({ heading, notes, languageId, text }: ContextBlock): string {
  const fence = fenceFor(text);
  const language = /^[\w+#.-]+$/.test(languageId) ? languageId : '';
  const above = notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)];
  return [`${heading}:`, ...above, '', fence + language, text.replace(/\n$/, ''), fence].join('\n');
}

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

/** A `#` with letters that is being typed. */
export interface ContextWord {
  /** What stands after the `#`, up to the cursor. */
  letters: string;
  /** Where the `#` stands in its line; counts from 0. */
  start: number;
  /** Whether it could become a heading: nothing but the `#` stands in the line. */
  canBeHeading: boolean;
}

/**
 * The `#word` that ends at the cursor; undefined where there is none, and inside of a code block, where a `#` is code.
 *
 * @param above the lines above the cursor's
 * @param before the cursor's line up to the cursor
 */
export function contextWord(above: readonly string[], before: string): ContextWord | undefined {
  const [, lead = '', letters] = /^(.*?(?:^|[\s([{"'“]))#([^\s#`]*)$/.exec(before) ?? [];
  if (letters === undefined || /^( {4}|\t)/.test(before) || isInFence(above)) {
    return undefined;
  }
  return { letters, start: lead.length, canBeHeading: letters === '' && lead.trim() === '' };
}

/** Whether a fence that the lines open is not closed by them (CommonMark 0.31, section 4.5). */
function isInFence(lines: readonly string[]): boolean {
  let open = '';
  for (const line of lines) {
    const [, fence = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
    if (open === '') {
      open = fence.startsWith('`') && rest.includes('`') ? '' : fence;
    } else if (fence.startsWith(open.charAt(0)) && fence.length >= open.length && rest.trim() === '') {
      open = '';
    }
  }
  return open !== '';
}
