import { codePointName, replaceInvisible } from '../../shared/util/invisible';

/**
 * A line in which nothing is hidden: control characters are shown by their pictures, other characters that can't be seen
 * by their numbers.
 */
export function harmless(line: string): string {
  return replaceInvisible(line, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) {
      return String.fromCodePoint(0x2400 + code);
    }
    return code === 0x7f ? '\u2421' : `[${codePointName(character)}]`;
  });
}
