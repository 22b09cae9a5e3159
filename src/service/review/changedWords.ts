/** What two lines begin and end with in common, in UTF-16 units; what is between them was changed. */
export interface Common {
  start: number;
  end: number;
}

/**
 * Finds the changed part of a line, by whole words, in one pass over each: whoever writes a diff chooses its lines, and a
 * better search would take a time that grows with their square.
 *
 * @returns undefined when the lines have nothing in common
 */
export function commonParts(before: string, after: string): Common | undefined {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) {
    start += 1;
  }
  while (start > 0 && isInWord(before[start - 1]) && (isInWord(before[start]) || isInWord(after[start]))) {
    start -= 1;
  }
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) {
    end += 1;
  }
  while (end > 0 && isInWord(before.at(-end)) && (isInWord(before.at(-1 - end)) || isInWord(after.at(-1 - end)))) {
    end -= 1;
  }
  return start + end === 0 ? undefined : { start, end };
}

/** Halves of a character count as of a word, so that none is split. */
function isInWord(unit: string | undefined): boolean {
  return unit !== undefined && /[\p{L}\p{M}\p{N}\p{Cs}_]/u.test(unit);
}
