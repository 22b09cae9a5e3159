import { MAX_NAME } from '../base/limits';
import { wordsOf } from './names';

/** The spelling of longer words isn't compared. */
const MAX_WORD = 60;
/** Maximum number of words that are compared with a name. */
const MAX_CANDIDATES = 500;
/**
 * Maximum number of lines with the word that are compared with their replacements, and maximum length of such a line.
 */
const [MAX_LINES, MAX_LINE] = [20, 500];

export type SuccessorTest = [isThere: (word: string) => boolean, read?: (line: string) => string[]];

/**
 * Returns the word that probably replaced another one: a word that is new in the replaced lines, at the same place in
 * its line or spelled alike. Undefined when there is none.
 *
 * @param isThere whether a word is in the code now
 * @param read returns what a line defines, if only that counts; then, the only new one replaced the only old one
 */
export function successorIn(
  word: string,
  { deleted, added }: Hunk,
  ...[isThere, read]: SuccessorTest
): string | undefined {
  const before = new Set(deleted.flatMap(read ?? wordsOf));
  const after = new Set(added.flatMap(read ?? wordsOf));
  const candidates = [...after]
    .filter((each) => each.length > 2 && each.length <= MAX_NAME && !before.has(each) && isThere(each))
    .slice(0, MAX_CANDIDATES);
  const lines = new Set(added.map((line) => line.trim()));
  const withWord = deleted.filter((line) => line.length <= MAX_LINE && line.includes(word)).slice(0, MAX_LINES);
  const replaced = candidates.find((each) => withWord.some((line) => lines.has(line.replaceAll(word, each).trim())));
  const isOnly =
    read !== undefined && candidates.length === 1 && [...before].filter((each) => !after.has(each)).length === 1;
  return replaced ?? (isOnly ? candidates[0] : mostAlike(word, candidates, 0.5));
}

/** Lines that a change took out, and those that it put in their place. */
export interface Hunk {
  deleted: readonly string[];
  added: readonly string[];
}

/** A shorter line, such as a closing brace, doesn't mark a place. In characters. */
const SHORTEST_MARK = 4;

/**
 * The hunks of a change with a word: for each line with it that is gone, the lines between those above and below that
 * are still there.
 */
export function hunksWith(word: string, before: readonly string[], after: readonly string[]): Hunk[] {
  const left = new Map(after.map((line, at) => [line, at]));
  const olds = new Set(before);
  const isMark = (line: string | undefined): boolean =>
    line === undefined || (left.has(line) && line.trim().length >= SHORTEST_MARK);
  const hunks: Hunk[] = [];
  let from = 0;
  for (const [at, line] of before.entries()) {
    if (at >= from && line.includes(word) && !left.has(line) && hunks.length < MAX_LINES) {
      let [above, below] = [at - 1, at + 1];
      for (; !isMark(before[above]); above--);
      for (; !isMark(before[below]); below++);
      const top = above < 0 ? -1 : (left.get(before[above] ?? '') ?? -1);
      const bottom = below >= before.length ? after.length : (left.get(before[below] ?? '') ?? after.length);
      const added = after.slice(top + 1, Math.max(top + 1, bottom)).filter((each) => !olds.has(each));
      const deleted = before.slice(above + 1, below).filter((each) => !left.has(each));
      hunks.push({ deleted, added: added.slice(0, 400) });
      from = below;
    }
  }
  return hunks;
}

function mostAlike(word: string, candidates: readonly string[], least: number): string | undefined {
  let best: string | undefined;
  let most = least;
  for (const candidate of candidates) {
    const score = likeness(word, candidate);
    if (score >= most && (best === undefined || score > most)) {
      best = candidate;
      most = score;
    }
  }
  return best;
}

/**
 * Similarity from 0 to 1: the share of parts that the names have in common, or of equal characters, whichever is
 * larger.
 */
export function likeness(one: string, other: string): number {
  const parts = partsOf(one);
  const others = partsOf(other);
  const common = [...parts].filter((part) => others.has(part)).length;
  const byParts = common === 0 ? 0 : (2 * common) / (parts.size + others.size);
  const longest = Math.max(one.length, other.length);
  const bySpelling =
    longest > MAX_WORD ? 0 : 1 - distance(one.toLowerCase(), other.toLowerCase()) / Math.max(1, longest);
  return Math.max(byParts, bySpelling);
}

/** `maxRetryCount`, `max_retry_count` and `max-retry-count` have the same parts. */
function partsOf(name: string): Set<string> {
  const spaced = name.slice(0, 200).replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  return new Set(spaced.toLowerCase().match(/[a-z0-9]+/g));
}

/** The number of characters to change, add, or remove (Levenshtein distance). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** The path of an added file with a name like that of a removed one, in the same folder. */
export function successorOfFile(path: string, added: readonly string[]): string | undefined {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const ending = /\.\w+$/.exec(path)?.[0] ?? '';
  const beside = added.filter((each) => each.startsWith(folder) && each.endsWith(ending));
  const names = beside.map((each) => each.slice(folder.length)).slice(0, MAX_CANDIDATES);
  const best = mostAlike(path.slice(folder.length), names, 0.6);
  return best === undefined ? undefined : folder + best;
}
