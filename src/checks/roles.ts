import { isCodeAt, isComment } from './ownNames';

/** How code uses a word at a place; a set of bits. */
export const ROLES = {
  /** Anything, even in a comment. */
  any: 1,
  /** A name in code, not a word of a comment or of a sentence. */
  code: 2,
  /** `--word`, or a string of just this word, which is how libraries declare flags and subcommands. */
  flag: 4,
  /** Something with a value: `word:`, `word =`, `"word":`, or a string of just this word. */
  key: 8,
} as const;

/** Returns the roles of the word at `[start, end)` of a line. */
export function rolesAt(line: string, start: number, end: number): number {
  if (isComment(line, start)) {
    return ROLES.any;
  }
  const before = line.slice(Math.max(0, start - 3), start);
  const after = line.slice(end, end + 4);
  const isQuoted = /["'`:]-{0,2}$/.test(before) && /^(?:["'`=,|]|\s*[<[])/.test(after);
  const isDashed = before.endsWith('--');
  const isKey = /^["'`]?\s*(?::(?!:)|=(?!=)|=>)/.test(after);
  return (
    ROLES.any |
    (isDashed || isQuoted || isKey || isCodeAt(line, start, end) ? ROLES.code : 0) |
    (isDashed || isQuoted ? ROLES.flag : 0) |
    (isKey || isQuoted ? ROLES.key : 0)
  );
}
