import { once } from './async';

/** Marks where a text was truncated. */
export const CUT_MARK = '…';

/**
 * Returns the text, truncated with an ellipsis if it is longer than `max` UTF-16 code units. Never splits a surrogate
 * pair.
 */
export function truncateWithEllipsis(text: string, max: number): string {
  return text.length <= max ? text : copyStart(text, max - CUT_MARK.length) + CUT_MARK;
}

/**
 * Returns the first `length` UTF-16 code units of a text, or one fewer if a surrogate pair would be split. The result
 * is a copy: a plain slice keeps the whole text in memory for as long as the slice lives.
 */
export function copyStart(text: string, length: number): string {
  const start = text.slice(0, length);
  const whole = /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start;
  return Buffer.from(whole, 'utf16le').toString('utf16le');
}

/** Splits at LF and CRLF. With a regular expression, a text of many short lines takes several times as long. */
export function splitLines(text: string): string[] {
  return text.replaceAll('\r\n', '\n').split('\n');
}

/**
 * The single definition of invisible characters: control and format characters, fillers, variation selectors, tags. Two
 * kinds are kept, because visible text would break without them:
 *
 * - emoji sequences: joiners between emoji, one presentation selector after an emoji, keycaps, and the flags of
 *   England, Scotland and Wales (the only tag-based flags that fonts draw);
 * - a single joiner or non-joiner between two characters of a script that uses them (Persian, Hindi, …).
 *
 * The patterns are compiled at first use: compiling their character classes takes milliseconds, which would delay every
 * start of the editor.
 */

/**
 * Default_Ignorable_Code_Point covers the soft hyphen, joiners, directional marks, Hangul and Khmer fillers, all
 * variation selectors and tags. Listed explicitly are the other format characters, except those that fonts draw (such
 * as signs before Arabic numbers), and three characters that merely look blank: in Braille, in music and in Khitan.
 */
const CONTROL = String.raw`\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f`;
const HIDDEN = String.raw`[${CONTROL}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u{13430}-\u{1343f}\u2800\u{1d159}\u{16fe4}]`;

/** Characters that only some readers treat as line breaks, so that they could hide the rest of a line. */
const ODD_LINE_END = String.raw`\r(?!\n)|[\u2028\u2029]`;

const PICTURE = String.raw`\p{Extended_Pictographic}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier})?`;
const KEYCAP = String.raw`[0-9#*]\ufe0f\u20e3`;
const FLAG_TAGS = ['gbeng', 'gbsct', 'gbwls'].map((region) =>
  Array.from(region, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join(''),
);
const FLAG = String.raw`\u{1f3f4}(?:${FLAG_TAGS.join('|')})\u{e007f}`;

const JOINED_SCRIPTS = [
  ...['Arabic', 'Syriac', 'Mandaic', 'Nko', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya'],
  ...['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
].map((script) => String.raw`\p{Script=${script}}`);
const JOINED = `(?!${HIDDEN})[${JOINED_SCRIPTS.join('')}]`;
const JOINER = String.raw`(?<=${JOINED})[\u200c\u200d](?=${JOINED})`;

/**
 * Matches either text that is kept, or hidden characters and odd line breaks (the capturing group). Repetitions are
 * bounded, because the regex engine uses stack for each.
 */
const pieces = once(() => {
  const kept = `${FLAG}|${PICTURE}(?:\\u200d${PICTURE}){0,9}|${KEYCAP}|${JOINER}`;
  return new RegExp(`${kept}|((?:${HIDDEN}|${ODD_LINE_END}){1,100})`, 'gu');
});
const anyOfThem = once(() => new RegExp(`${HIDDEN}|${ODD_LINE_END}`, 'u'));

/**
 * Nearly all text matches none of these: it consists of Latin letters and common punctuation, where nothing can hide.
 */
const UNUSUAL = /[^\t\n\r -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e]|\r(?!\n)/;

const visible = once(() => new RegExp(`(?!${HIDDEN})\\S`, 'u'));

/** Whether a text has no character that a person could see. */
export function isBlank(text: string): boolean {
  return !visible().test(text);
}

/** Removes invisible characters, for labels and notices on which no decision is based. Line breaks stay. */
export function dropInvisible(text: string): string {
  return replaceInvisible(text, (character) => (/[\r\u2028\u2029]/.test(character) ? character : ''));
}

/** Writes each hidden character as its code point, `⟨U+200B⟩`, for text that a person reviews or decides on. */
export function showInvisible(text: string): string {
  return replaceInvisible(text, (character) => `⟨${codePointName(character)}⟩`);
}

/** Counts the characters that `showInvisible` would write as code points. */
export function countInvisible(text: string): number {
  let count = 0;
  if (UNUSUAL.test(text)) {
    for (const [, hidden = ''] of text.matchAll(pieces())) {
      count += Array.from(hidden).length;
    }
  }
  return count;
}

/**
 * Replaces each hidden character, and each line break other than LF and CRLF. Calls `replace` once per distinct
 * character.
 */
export function replaceInvisible(text: string, replace: (character: string) => string): string {
  if (!UNUSUAL.test(text) || !anyOfThem().test(text)) {
    return text;
  }
  const replacements = new Map<string, string>();
  return text.replace(pieces(), (piece: string, hidden?: string) => {
    if (hidden === undefined) {
      return piece;
    }
    let replaced = '';
    for (const character of hidden) {
      let replacement = replacements.get(character);
      if (replacement === undefined) {
        replacement = replace(character);
        replacements.set(character, replacement);
      }
      replaced += replacement;
    }
    return replaced;
  });
}

/** “U+200B” */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A name in braces, which stands for a value. */
export const PLACE = /\{\w+\}/g;

/** Replaces the names in braces in a text with their values. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(PLACE, (place) => String(values[place.slice(1, -1)] ?? place));
}
