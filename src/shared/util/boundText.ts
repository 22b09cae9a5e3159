/** The longest text that is kept of a field of a service's answer, in UTF-16 units. */
export const MAX_FIELD = 2000;

/** Where a text was cut. */
export const CUT_MARK = '…';

/**
 * The text, or its beginning with an ellipsis where it is longer than `max` UTF-16 units. Never leaves half of a
 * character at the cut.
 */
export function boundText(text: string, max: number): string {
  return text.length <= max ? text : copyStart(text, max - CUT_MARK.length) + CUT_MARK;
}

/**
 * The first `length` UTF-16 units of a text, or one less where a character would be split. A copy: a plain slice keeps
 * the whole text in memory for as long as the slice lives.
 */
export function copyStart(text: string, length: number): string {
  const start = text.slice(0, length);
  const whole = /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start;
  return Buffer.from(whole, 'utf16le').toString('utf16le');
}
