import { codeSpan, fenceFor } from './fence';
import { elide } from './elide';
import { harmless } from './changes/harmless';

/** What the user says about lines of a change. Lines count from 1, both ends included. */
export interface QuotedComment {
  path: string;
  /** The lines as they were before the change, or as they are after it. */
  side: 'old' | 'new';
  from: number;
  to: number;
  /** The lines as the user saw them. */
  quoted: string;
  languageId: string;
  /** The lines are not there any more as they were. */
  outdated: boolean;
  text: string;
}

/** The most characters of code that are quoted for one comment. */
const MAX_QUOTED = 4_000;

/**
 * The follow-up that comments on lines are sent as: path and lines of each, the code, and the comment, which is never cut.
 * The form is that of the local service's review page, so that an agent reads both alike.
 */
export function reviewComments(comments: readonly QuotedComment[]): string {
  const one = comments.length === 1;
  const head = one
    ? 'Please work on this comment of the review.'
    : `Please work on these ${comments.length} comments of the review.`;
  const parts = comments.map((comment, index) => {
    const title = `${one ? '' : `${index + 1}. `}In ${codeSpan(comment.path)}, ${linesOf(comment)}:`;
    return [title, quotedCode(comment), quotedText(comment.text)].filter((part) => part !== '').join('\n\n');
  });
  return [head, ...parts].join('\n\n');
}

/** A comment as it stands in that follow-up: whether a prompt holds it tells whether it was sent. */
export function quotedText(text: string): string {
  const lines = text
    .trim()
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(harmless);
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
  const code = elide(quoted.split('\n').map(harmless).join('\n'), MAX_QUOTED);
  const fence = fenceFor(code);
  return [fence + (/^[\w+#.-]+$/.test(languageId) ? languageId : ''), code, fence].join('\n');
}
