import { splitLines } from '../base/text';
import { elide } from './budgets';
import { codeSpan, fenceFor, showControlCharacters } from './contextBlock';

/** A user's comment on lines of a change. Lines count from 1, inclusive. */
export interface QuotedComment {
  path: string;
  /** Whether the lines are from before or after the change. */
  side: 'old' | 'new';
  from: number;
  to: number;
  /** The lines as the user saw them. */
  quoted: string;
  languageId: string;
  /** Whether the lines have changed since. */
  outdated: boolean;
  text: string;
}

/** Maximum number of code characters quoted per comment. */
const MAX_QUOTED = 4_000;

/**
 * The follow-up prompt for line comments: path and lines of each, the code, and the comment, which is never shortened.
 */
export function renderReviewComments(comments: readonly QuotedComment[]): string {
  const one = comments.length === 1;
  const head = one ? 'Address this review comment.' : `Address these ${comments.length} review comments.`;
  const parts = comments.map((comment, index) => {
    const { title, text } = commentBlock(comment);
    const numbered = one ? title : `${index + 1}. ${title}`;
    return [numbered, quotedCode(comment), text].filter((part) => part !== '').join('\n\n');
  });
  return [head, ...parts].join('\n\n');
}

/** A comment as it appears in a follow-up: the line with its location, and its quoted text. */
export interface CommentBlock {
  title: string;
  text: string;
}

export function commentBlock(comment: QuotedComment): CommentBlock {
  return { title: `In ${codeSpan(comment.path)}, ${linesOf(comment)}:`, text: quotedText(comment.text) };
}

/**
 * Returns the blocks that are still in a prompt. Matches by title, because the user may reword a text or redact a
 * secret in it. If a title occurs less often than it was put there, only blocks whose text is unchanged count.
 */
export function findRemainingBlocks<T extends CommentBlock>(prompt: string, blocks: readonly T[]): T[] {
  const bodies = bodiesByTitle(prompt);
  return blocks.filter(({ title, text }) => {
    const found = bodies.get(title) ?? [];
    const isWhole = blocks.filter((each) => each.title === title).length <= found.length;
    return found.length > 0 && (isWhole || found.some((body) => body.includes(`\n${text}\n`)));
  });
}

/** The text below each title, up to the next one. Ignores titles in quoted code. */
function bodiesByTitle(prompt: string): Map<string, string[]> {
  const text = `${prompt.replaceAll(/\r\n?/g, '\n')}\n`;
  const found: { title: string; start: number; end: number }[] = [];
  let fence = '';
  let end = 0;
  while (end < text.length) {
    const start = end;
    end = text.indexOf('\n', start) + 1;
    const line = text.slice(start, end);
    const mark = /^(?:`{3,}|~{3,})/.exec(line)?.[0] ?? '';
    const title = /^(?:\d+\. )?(In .*:)\s*$/.exec(line)?.[1];
    if (fence === '' && title !== undefined) {
      found.push({ title, start, end });
    }
    if (fence === '') {
      fence = mark;
    } else if (mark.startsWith(fence) && line.trim() === mark) {
      fence = '';
    }
  }
  const bodies = new Map<string, string[]>();
  for (const [at, each] of found.entries()) {
    const known = bodies.get(each.title) ?? [];
    known.push(`\n${text.slice(each.end, found[at + 1]?.start)}`);
    bodies.set(each.title, known);
  }
  return bodies;
}

function quotedText(text: string): string {
  const lines = text
    .trim()
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(showControlCharacters);
  return lines.map((line) => `> ${line}`.trimEnd()).join('\n');
}

function linesOf({ side, from, to, outdated }: QuotedComment): string {
  const lines = from === to ? `line ${from}` : `lines ${from} to ${to}`;
  const before = side === 'old' ? `${lines} of the version before the change` : lines;
  return outdated ? `${before}, as it was before your last commits` : before;
}

function quotedCode({ quoted, languageId }: QuotedComment): string {
  if (quoted.trim() === '') {
    return '';
  }
  // Shortened twice, because making invisible characters visible lengthens the text.
  const visible = elide(quoted, MAX_QUOTED).split('\n').map(showControlCharacters).join('\n');
  const code = elide(visible, MAX_QUOTED);
  const fence = fenceFor(code);
  return [fence + (/^[\w+#.-]+$/.test(languageId) ? languageId : ''), code, fence].join('\n');
}

/**
 * A text is not searched if it and the wanted lines together are longer, in UTF-16 units: the search blocks the editor.
 */
export const MAX_SEARCHED = 500_000;

/**
 * Finds quoted lines in a later version of their file: at the same place, or at the only other place where they occur.
 * Undefined when they are not found, or ambiguous, or when the text is too long.
 *
 * @param from the previous line number; counts from 1
 * @returns the line at which they start now
 */
export function relocate(quoted: string, from: number, text: string): number | undefined {
  if (quoted.length + text.length > MAX_SEARCHED) {
    return undefined;
  }
  const wanted = quoted.split('\n');
  const lines = splitLines(text);
  if (wanted.every((line, index) => lines[from - 1 + index] === line)) {
    return from;
  }
  // A blank line matches everywhere and identifies nothing.
  const places = quoted.trim() === '' ? [] : placesOf(wanted, lines);
  return places.length === 1 ? places[0] : undefined;
}

/** All lines at which `wanted` starts in `lines` (Knuth-Morris-Pratt: linear even with many repeated lines). */
export function placesOf(wanted: readonly string[], lines: readonly string[]): number[] {
  const borders = new Uint32Array(wanted.length);
  const longerBy = (line: string | undefined, matched: number): number => {
    let length = matched;
    while (length > 0 && wanted[length] !== line) {
      length = borders[length - 1] ?? 0;
    }
    return wanted[length] === line ? length + 1 : length;
  };
  for (let at = 1; at < wanted.length; at += 1) {
    borders[at] = longerBy(wanted[at], borders[at - 1] ?? 0);
  }
  const places: number[] = [];
  let matched = 0;
  lines.forEach((line, index) => {
    matched = longerBy(line, matched);
    if (matched === wanted.length) {
      places.push(index - wanted.length + 2);
    }
  });
  return places;
}
