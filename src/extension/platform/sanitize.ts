import { dropInvisible, showInvisible } from '../../base/text';

/** The doors through which text that is not ours reaches a person: one a sink. All are pure. */

/** An invisible character that joins: it breaks up markup and stays out of sight. */
const JOINER = '\u2060';

/** The longest label, in characters; the whole text stands in the tooltip. */
const MAX_LABEL = 120;

/** So much of a text, in characters, is looked at for a label: nobody waits for the rest. */
const LOOKED_AT = 10_000;

/** One line for a tree row, a title or a status: what is cut is marked. */
export function toLabel(text: string, max = MAX_LABEL): string {
  const looked = text.trimStart().slice(0, Math.max(LOOKED_AT, max * 4));
  const line = dropInvisible(looked).replace(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}

/** A label in a question, which is decided by what it says: what can't be seen is written as its number. */
export function toQuestion(text: string, max?: number): string {
  return toLabel(showInvisible(text.slice(0, LOOKED_AT)), max);
}

/** Text for a notification, where `[label](target)` would become a link that runs a command. */
export function toNotice(text: string, max?: number): string {
  return toLabel(text, max).replaceAll('](', `]${JOINER}(`);
}

/** Text for a quick pick or the status bar, where `$(name)` would become an icon. */
export function toPickLabel(text: string): string {
  return toLabel(text).replaceAll('$(', `$${JOINER}(`);
}

/** Text for the line below an input box, where both would work. */
export function toBoxLine(text: string, max?: number): string {
  return toNotice(text, max).replaceAll('$(', `$${JOINER}(`);
}

/** Lines for the log: only the first begins where an entry begins, so that no text passes for an entry of its own. */
export function toLogLines(text: string): string {
  return dropInvisible(text)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .join('\n    ');
}

/** Text of several lines for a page that shows it as it is; what is cut is marked. */
export function toText(text: string, max: number): string {
  const plain = dropInvisible(text).trim();
  return plain.length > max ? `${plain.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : plain;
}

/**
 * Text for `MarkdownString.appendText`, which escapes markup but lets an address, also in angle brackets, or a mail name
 * become a link: these are broken up.
 */
export function toTooltip(text: string): string {
  return dropInvisible(text).replace(/:\/\/|\bwww\.|@|</gi, (mark) => `${mark[0] ?? ''}${JOINER}${mark.slice(1)}`);
}

/** The first line that says something. */
export function firstLine(text: string): string {
  return text.split(/\r?\n/).find((line) => line.trim() !== '') ?? '';
}
