import { dropInvisible, showInvisible } from '../../base/text';

/** Sanitizers for untrusted text, one for each place that shows it. All are pure. */

/** An invisible joining character: breaks up markup without being seen. */
const JOINER = '\u2060';

/** The maximum length of a label, in characters; the tooltip has the full text. */
const MAX_LABEL = 120;

/** Only this much of a text, in characters, is scanned for a label, to bound the time. */
const LOOKED_AT = 10_000;

/** Makes a single line for a tree row, title or status; truncation is marked. */
export function toLabel(text: string, max = MAX_LABEL): string {
  const looked = text.trimStart().slice(0, Math.max(LOOKED_AT, max * 4));
  const line = dropInvisible(looked).replace(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}

/**
 * Makes a label for a question that the user decides by its text: invisible characters are written as their numbers.
 */
export function toQuestion(text: string, max?: number): string {
  return toLabel(showInvisible(text.slice(0, LOOKED_AT)), max);
}

/** Sanitizes text for a notification, where `[label](target)` would become a link that runs a command. */
export function toNotice(text: string, max?: number): string {
  return toLabel(text, max).replaceAll('](', `]${JOINER}(`);
}

/** Sanitizes text for a quick pick or the status bar, where `$(name)` would become an icon. */
export function toPickLabel(text: string): string {
  return toLabel(text).replaceAll('$(', `$${JOINER}(`);
}

/** Sanitizes text for the line below an input box, where both links and icons would be rendered. */
export function toBoxLine(text: string, max?: number): string {
  return toNotice(text, max).replaceAll('$(', `$${JOINER}(`);
}

/** Formats text for the log. Further lines are indented, so that no text can pass for a separate log entry. */
export function toLogLines(text: string): string {
  return dropInvisible(text).replaceAll(/\r\n|[\n\r\u2028\u2029]/g, '\n    ');
}

/** Sanitizes multi-line text for a page that shows it as is; truncation is marked. */
export function toText(text: string, max = Infinity): string {
  const plain = dropInvisible(text).trim();
  return plain.length > max ? `${plain.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : plain;
}

/**
 * Sanitizes text for `MarkdownString.appendText`, which escapes markup but still turns URLs, also in angle brackets,
 * and email addresses into links, and `&ZeroWidthSpace;` into the character: these are broken up.
 */
export function toTooltip(text: string): string {
  return dropInvisible(text).replace(
    /:\/\/|\bwww\.|@|<|&(?=[#a-z])/gi,
    (mark) => `${mark[0] ?? ''}${JOINER}${mark.slice(1)}`,
  );
}

/** The first line that is not blank. */
export function firstLine(text: string): string {
  const at = text.search(/\S/);
  if (at === -1) {
    return '';
  }
  const end = text.indexOf('\n', at);
  return text.slice(text.lastIndexOf('\n', at) + 1, end === -1 ? undefined : end).replace(/\r$/, '');
}
