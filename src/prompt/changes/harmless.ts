/** Control characters but the tab, and what is there without being seen or turns the direction of the text around it. */
const UNSEEN = /(?!\t)\p{Cc}|(?![\u200C\u200D])\p{Cf}|[\u2028\u2029]/gu;

/**
 * A line in which nothing is hidden: control characters are shown by their pictures, other characters that can't be seen
 * by their numbers. Joiners stay: emoji and scripts need them.
 */
export function harmless(line: string): string {
  return line.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) {
      return String.fromCodePoint(0x2400 + code);
    }
    return code === 0x7f ? '\u2421' : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}
