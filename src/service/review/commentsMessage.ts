import { cutText } from '../cutText';
import type { LineLookup } from './diffLines';
import { showInvisible } from '../../shared/util/invisible';
import type { ReviewComment } from './reviewComments';

/** The most lines that are quoted for one comment, and the most characters of one line. */
const MAX_QUOTED_LINES = 40;
const MAX_QUOTED_LENGTH = 300;

/**
 * The follow-up that comments of the review page are sent as: Markdown that names path and lines of each, quotes the code
 * and then the comment. A comment is never cut, quoted code is. Nothing that is quoted ends its quotation: a fence is
 * longer than any run of backticks in it (CommonMark, 4.5), and each line of a comment bears the mark of a quote.
 */
export function commentsMessage(comments: readonly ReviewComment[], lineAt: LineLookup): string {
  const one = comments.length === 1;
  const head = one
    ? 'Please work on this comment of the review.'
    : `Please work on these ${comments.length} comments of the review.`;
  const parts = comments.map((comment, index) => {
    const title = `${one ? '' : `${index + 1}. `}In ${inlineCode(comment.path)}, ${linesOf(comment)}:`;
    return [title, quotedCode(comment, lineAt), quoted(comment.text)].filter((part) => part !== '').join('\n\n');
  });
  return `${[head, ...parts].join('\n\n')}\n`;
}

function linesOf({ side, from, to }: ReviewComment): string {
  const lines = from === to ? `line ${from}` : `lines ${from} to ${to}`;
  return side === 'old' ? `${lines} of the version before the change` : lines;
}

function quotedCode(comment: ReviewComment, lineAt: LineLookup): string {
  const count = comment.to - comment.from + 1;
  const shown: string[] = [];
  let isGap = false;
  for (let line = comment.from; line <= comment.to && shown.length < MAX_QUOTED_LINES; line += 1) {
    const text = lineAt(comment, line);
    if (text !== undefined) {
      shown.push(cutText(oneLine(text.slice(0, 4 * MAX_QUOTED_LENGTH)), MAX_QUOTED_LENGTH));
    } else if (!isGap && shown.length > 0) {
      shown.push('…');
    }
    isGap = text === undefined;
    // A range may be of millions of lines of which the diff shows a few.
    if (line - comment.from > 100_000) {
      break;
    }
  }
  if (shown.length === 0) {
    return '';
  }
  const more = shown.length === MAX_QUOTED_LINES && count > MAX_QUOTED_LINES ? ['…'] : [];
  const code = [...shown, ...more].join('\n');
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}\n${code}\n${fence}`;
}

function quoted(text: string): string {
  const lines = showInvisible(text.trim().replace(/\r\n?|\u2028|\u2029/g, '\n')).split('\n');
  return lines.map((line) => `> ${line}`.trimEnd()).join('\n');
}

/** A code span holds no line end, and its marks are longer than any run of backticks in it (CommonMark, 6.1). */
function inlineCode(text: string): string {
  const shown = oneLine(text);
  const mark = '`'.repeat(longestRun(shown) + 1);
  const space = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${mark}${space}${shown}${space}${mark}`;
}

function oneLine(text: string): string {
  const codeOf = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return showInvisible(text.replace(/[\n\r\u2028\u2029]/g, (character) => `⟨U+${codeOf(character)}⟩`));
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}
