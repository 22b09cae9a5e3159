import { count, elide } from './budgets';
import { codeSpan, showControlCharacters } from './contextBlock';

/** A conversation on a line of a pull request. */
export interface ReviewThread {
  path: string;
  /** Counts from 1; undefined for a comment on the file, or on lines that are gone. */
  line: number | undefined;
  /** Whether the lines have changed since. */
  isOutdated: boolean;
  comments: readonly { author: string; text: string }[];
}

/** Maximum number of characters of a conversation that are quoted. */
const MAX_TEXT = 4_000;
/** Maximum number of lines of a conversation that are quoted: the first ones and the last ones. */
const FIRST_LINES = 140;
const LAST_LINES = 60;
const MAX_PATH = 500;
const MAX_AUTHOR = 60;

/**
 * The follow-up prompt for open review comments: place, author and quoted text of each, all of it visible.
 *
 * @param link the URL of the pull request, so that the user can see where the comments come from
 */
export function renderReviewThreads(link: string, threads: readonly ReviewThread[]): string {
  const one = threads.length === 1;
  const what = one ? 'this review comment' : `these ${threads.length} review comments`;
  const parts = threads.map((thread, index) => {
    const title = `In ${codeSpan(thread.path.slice(0, MAX_PATH))}${lineOf(thread)}:`;
    return `${one ? title : `${index + 1}. ${title}`}\n\n${quoted(thread)}`;
  });
  return [`Address ${what} on ${link}.`, ...parts].join('\n\n');
}

function lineOf({ line, isOutdated }: ReviewThread): string {
  const place = line === undefined ? '' : `, line ${line}`;
  return isOutdated ? `${place}, as it was before the last commits` : place;
}

/** Shortened before and after, because making invisible characters visible lengthens the text. */
function quoted({ comments }: ReviewThread): string {
  const whole = comments
    .map(({ author, text }) => `${author.slice(0, MAX_AUTHOR)}: ${elide(text.trim(), MAX_TEXT)}`)
    .join('\n\n');
  const visible = someOf(elide(whole, MAX_TEXT).split(/\r\n|[\n\r\u2028\u2029]/))
    .map(showControlCharacters)
    .join('\n');
  return elide(visible, MAX_TEXT)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function someOf(lines: readonly string[]): readonly string[] {
  const leftOut = lines.length - FIRST_LINES - LAST_LINES;
  return leftOut <= 0
    ? lines
    : [...lines.slice(0, FIRST_LINES), `… ${count(leftOut, 'line')} left out`, ...lines.slice(-LAST_LINES)];
}
