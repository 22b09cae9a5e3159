import { once } from './async';

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

/**
 * The one table of what is in a text without being seen: control and format characters, fillers, variation selectors,
 * tags. Two things stay as they are, because visible text would break without them:
 *
 * - emoji sequences: joiners between pictures, one presentation selector after a picture, keycaps, and the flags of
 *   England, Scotland and Wales (the only flags made of tags that fonts draw);
 * - a single joiner or non-joiner between two characters of a script that is written with them (Persian, Hindi, …).
 *
 * The patterns are made at first use: their classes take milliseconds, for which each start of the editor would wait.
 */

/**
 * Default ignorable are the soft hyphen, joiners, marks of direction, Hangul and Khmer fillers, all variation selectors
 * and tags. Written out are the other format characters, but for those that fonts draw (signs before Arabic numbers and
 * the like), and three that are blank by their looks only: in Braille, in music and in Khitan.
 */
const CONTROL = String.raw`\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f`;
const HIDDEN = String.raw`[${CONTROL}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u{13430}-\u{1343f}\u2800\u{1d159}\u{16fe4}]`;

/** Line ends to some readers and none to others, so that they could hide the rest of a line. */
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
 * What stays as it is, or hidden characters and odd line ends (the group). Repetitions are bounded: the engine takes
 * stack for each.
 */
const pieces = once(() => {
  const kept = `${FLAG}|${PICTURE}(?:\\u200d${PICTURE}){0,9}|${KEYCAP}|${JOINER}`;
  return new RegExp(`${kept}|((?:${HIDDEN}|${ODD_LINE_END}){1,100})`, 'gu');
});
// eslint-disable-next-line no-misleading-character-class -- the combined characters are ends of ranges
const anyOfThem = once(() => new RegExp(`${HIDDEN}|${ODD_LINE_END}`, 'u'));

/** Nearly all text has none of these: it is Latin letters and usual punctuation, where nothing can hide. */
const UNUSUAL = /[^\t\n\r -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e]|\r(?!\n)/;

/** Text without what can't be seen, for labels and notices, where nobody decides by it. Line ends stay. */
export function dropInvisible(text: string): string {
  return replaceInvisible(text, (character) => (isLineEnd(character) ? character : ''));
}

/** Text in which each hidden character is written as its number, `⟨U+200B⟩`, for where a person decides or reviews. */
export function showInvisible(text: string): string {
  return replaceInvisible(text, (character) => `⟨${codePointName(character)}⟩`);
}

/** How many characters `showInvisible` would write as numbers. */
export function countInvisible(text: string): number {
  let count = 0;
  if (UNUSUAL.test(text)) {
    for (const [, hidden = ''] of text.matchAll(pieces())) {
      count += Array.from(hidden).length;
    }
  }
  return count;
}

/** Replaces each hidden character, and each line end but LF and CRLF. `replace` is called once for each distinct one. */
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

function isLineEnd(character: string): boolean {
  return character === '\r' || character === '\u2028' || character === '\u2029';
}
