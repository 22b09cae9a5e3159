import { codePointName, replaceInvisible } from '../base/text';

/** One piece of context in a prompt: a one-line heading, and its text in a fence. */
export interface ContextBlock {
  /** One line of Markdown without final punctuation: “From `src/a.ts`, lines 3-10”. */
  heading: string;
  /** Further notes, one line of Markdown each: its permalink, which part of it the agent can't see. */
  notes: readonly string[];
  /** The fence's info string: VS Code's language identifier, or `diff`. */
  languageId: string;
  text: string;
}

/** A place in a file of the project. Lines count from 1; without lines, the whole file. */
export interface Place {
  path: string;
  lines?: { start: number; end: number };
}

/** “`src/a.ts`, lines 3-10”: Markdown that is safe for any path. */
export function formatPlace({ path, lines }: Place): string {
  if (lines === undefined) {
    return codeSpan(path);
  }
  const { start, end } = lines;
  return `${codeSpan(path)}, ${start === end ? `line ${start}` : `lines ${start}-${end}`}`;
}

/** Renders the block as Markdown: heading, notes, and the full text in a fence that it can't close. */
export function renderBlock({ heading, notes, languageId, text }: ContextBlock): string {
  const fence = fenceFor(text);
  const language = /^[\w+#.-]+$/.test(languageId) ? languageId : '';
  const above = notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)];
  return [`${heading}:`, ...above, '', fence + language, text.replace(/\n$/, ''), fence].join('\n');
}

/** How a sentence refers to a block below it: “`src/a.ts`, lines 3-10”, “method `Client.send` from `src/a.ts`, line 3”. */
export function mentionOf({ heading }: ContextBlock): string {
  return heading.replace(/^(?:File|From) /, '').replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}

/** Where the first rendered block begins in a prompt; undefined when there is none. */
export function firstBlockAt(prompt: string): number | undefined {
  const at = prompt.search(/(?<![^\n])[^\n`]+`[^\n]*:\r?\n(?:\r?\n|- [^\n]*\n)+`{3}/);
  return at === -1 ? undefined : at;
}

/**
 * Returns a fence longer than any run of backticks in the text, so that the text can't close it (CommonMark 0.31,
 * section 4.5).
 */
export function fenceFor(text: string): string {
  return '`'.repeat(Math.max(3, longestRun(text) + 1));
}

/** Renders one line of text as a code span (CommonMark 0.31, section 6.1), with invisible characters shown. */
export function codeSpan(text: string): string {
  const line = showControlCharacters(text.replace(/\s+/g, ' '));
  if (line.trim() === '') {
    // Two backticks would open a span that a later backtick run closes.
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

/** Makes invisible characters visible: control characters as their control pictures, others as their code points. */
export function showControlCharacters(line: string): string {
  return replaceInvisible(line, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) {
      return String.fromCodePoint(0x2400 + code);
    }
    return code === 0x7f ? '\u2421' : `[${codePointName(character)}]`;
  });
}

/** A `#word` that is being typed. */
export interface ContextWord {
  /** The text after the `#`, up to the cursor. */
  letters: string;
  /** Column of the `#`; counts from 0. */
  start: number;
  /** Whether it could become a heading, because the line contains only the `#`. */
  canBeHeading: boolean;
}

/**
 * Returns the `#word` that ends at the cursor; undefined when there is none, and inside a code block, where a `#` is
 * code.
 *
 * @param above the lines above the cursor's line
 * @param before the cursor's line up to the cursor
 */
export function contextWord(above: readonly string[], before: string): ContextWord | undefined {
  const [, lead = '', letters] = /^(.*?(?:^|[\s([{"'“]))#([^\s#`]*)$/.exec(before) ?? [];
  if (letters === undefined || /^( {4}|\t)/.test(before) || isInFence(above)) {
    return undefined;
  }
  return { letters, start: lead.length, canBeHeading: letters === '' && lead.trim() === '' };
}

/** Whether the lines leave a fence open (CommonMark 0.31, section 4.5). */
function isInFence(lines: readonly string[]): boolean {
  let open = '';
  for (const line of lines) {
    const [, fence = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)/s.exec(line) ?? [];
    if (open === '') {
      open = fence.startsWith('`') && rest.includes('`') ? '' : fence;
    } else if (fence.startsWith(open.charAt(0)) && fence.length >= open.length && rest.trim() === '') {
      open = '';
    }
  }
  return open !== '';
}
