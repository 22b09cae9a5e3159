import { diffArrays } from 'diff';

/** A piece of a text and of its new version: unchanged, or replaced. */
export interface WordChange {
  /** White space alone may differ when the rest is unchanged: paragraphs are often wrapped again. */
  readonly isChanged: boolean;
  /** The piece before and after the change; one of them is empty for words that were only added or deleted. */
  readonly before: string;
  readonly after: string;
}

/** Words, white space, and single other characters. Surrogates count as letters, so that no character is split. */
const TOKEN = /[\p{L}\p{M}\p{N}\p{Cs}_]+|\s+|[^\p{L}\p{M}\p{N}\p{Cs}_\s]/gu;
const WORD = /^[\p{L}\p{M}\p{N}\p{Cs}_]/u;
const SPACE = /^\s/;

/**
 * The search takes a number of steps quadratic in the number of edits. This many steps per token keep it linear in the
 * length of the texts: anyone can write a diff.
 */
const STEPS_PER_TOKEN = 6;

/** How much text one {@link createWordDiff} compares, in UTF-16 units; takes about 30 milliseconds at most. */
const MAX_COMPARED = 30_000;

/** Below this share of kept words, the marks would only confuse. */
const MIN_KEPT = 0.25;

/** Returns the pieces of a text and of its new version, in order; a single change if they have little in common. */
export type WordDiff = (before: string, after: string) => WordChange[];

/** Returns a word diff for the texts that are shown together. Once it has compared enough, it marks whole texts. */
export function createWordDiff(): WordDiff {
  let left = MAX_COMPARED;
  return (before, after) => {
    const length = before.length + after.length;
    const isCompared = before !== '' && after !== '' && length <= left;
    left -= isCompared ? length : 0;
    return (isCompared ? (diffWords(before, after) ?? diffLines(before, after)) : undefined) ?? toWhole(before, after);
  };
}

/** More pairs of lines are not compared. */
const MAX_PAIRS = 400;

/** Maximum number of words that are looked up in other lines. */
const MAX_LOOKUPS = 200_000;

/** The minimum share of common words for a line to count as the new version of another. */
const MIN_ALIKE = 0.4;

/** Compares each line with its new version, because new lines among them would hide it. Undefined if there is none. */
function diffLines(before: string, after: string): WordChange[] | undefined {
  const [old, young] = [before.split(/(?<=\n)/), after.split(/(?<=\n)/)];
  if (old.length * young.length > MAX_PAIRS || old.length * young.length < 2) {
    return undefined;
  }
  const pairs = pairLines(old, young);
  const changes: WordChange[] = [];
  let [from, to] = [0, 0];
  for (const [one, other] of [...pairs, [old.length, young.length] as const]) {
    changes.push(...toWhole(old.slice(from, one).join(''), young.slice(to, other).join('')));
    const [line = '', next = ''] = [old[one], young[other]];
    changes.push(...(diffWords(line, next) ?? toWhole(line, next)));
    [from, to] = [one + 1, other + 1];
  }
  return pairs.length === 0 ? undefined : joinChanges(changes);
}

function joinChanges(changes: readonly WordChange[]): WordChange[] {
  const joined: WordChange[] = [];
  for (const change of changes) {
    const last = joined.at(-1);
    if (last?.isChanged === change.isChanged) {
      const { isChanged, before, after } = change;
      joined[joined.length - 1] = { isChanged, before: last.before + before, after: last.after + after };
    } else {
      joined.push(change);
    }
  }
  return joined;
}

/** Returns the pairs of lines that are most alike, in the order of both texts. */
function pairLines(old: readonly string[], young: readonly string[]): (readonly [number, number])[] {
  const [oldWords, youngWords] = [old, young].map((lines) =>
    lines.map((line) => new Set(tokensOf(line).filter(isWord))),
  );
  // The best total likeness that pairs can reach from an old line and a new line to the ends of the texts.
  const best = Array.from({ length: old.length + 1 }, () => new Float64Array(young.length + 1));
  const cost = sumOf(oldWords, (one) => sumOf(youngWords, (other) => Math.min(one.size, other.size)));
  if (cost > MAX_LOOKUPS) {
    return [];
  }
  const alike = old.map((_, one) => young.map((__, other) => likeness(oldWords?.[one], youngWords?.[other])));
  const at = (one: number, other: number): number => best[one]?.[other] ?? 0;
  for (let one = old.length - 1; one >= 0; one -= 1) {
    for (let other = young.length - 1; other >= 0; other -= 1) {
      const both = (alike[one]?.[other] ?? 0) + at(one + 1, other + 1);
      (best[one] ?? [])[other] = Math.max(at(one + 1, other), at(one, other + 1), both);
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let [one, other] = [0, 0]; one < old.length && other < young.length;) {
    if (at(one, other) === at(one + 1, other)) {
      one += 1;
    } else if (at(one, other) === at(one, other + 1)) {
      other += 1;
    } else {
      pairs.push([one, other]);
      one += 1;
      other += 1;
    }
  }
  return pairs;
}

function sumOf<T>(values: readonly T[] = [], sizeOf: (value: T) => number): number {
  return values.reduce((sum, value) => sum + sizeOf(value), 0);
}

/** The share of common words; 0 if it is too small to count. */
function likeness(one: ReadonlySet<string> = new Set(), other: ReadonlySet<string> = new Set()): number {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  let common = 0;
  for (const word of few) {
    common += many.has(word) ? 1 : 0;
  }
  const share = (2 * common) / Math.max(1, one.size + other.size);
  return share < MIN_ALIKE ? 0 : share;
}

function toWhole(before: string, after: string): WordChange[] {
  return before + after === '' ? [] : [{ isChanged: true, before, after }];
}

/** Undefined when the texts have little in common. */
function diffWords(before: string, after: string): WordChange[] | undefined {
  const [old, young] = [tokensOf(before), tokensOf(after)];
  const maxEditLength = Math.ceil(Math.sqrt(STEPS_PER_TOKEN * (old.length + young.length)));
  // The library's own word diff takes each letter of most scripts for a word.
  const runs = diffArrays(old.map(toComparable), young.map(toComparable), { maxEditLength });
  if (runs === undefined) {
    return undefined;
  }
  const pieces: Piece[] = [];
  let [from, to] = [0, 0];
  for (const { added, removed, count } of runs) {
    const piece = {
      isChanged: added || removed,
      old: added ? [] : old.slice(from, from + count),
      young: removed ? [] : young.slice(to, to + count),
    };
    from += piece.old.length;
    to += piece.young.length;
    pieces.push(piece);
  }
  const joined = join(dropCoincidences(join(pieces))).flatMap(keepSpaceAtEnd);
  const kept = joined.reduce((sum, piece) => sum + (piece.isChanged ? 0 : countWords(piece.young)), 0);
  const least = Math.min(countWords(old), countWords(young));
  return kept < MIN_KEPT * least
    ? undefined
    : joined.map(({ isChanged, ...piece }) => ({
        isChanged,
        before: piece.old.join(''),
        after: piece.young.join(''),
      }));
}

interface Piece {
  isChanged: boolean;
  old: string[];
  young: string[];
}

function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

function toComparable(token: string): string {
  return SPACE.test(token) ? ' ' : token;
}

function isWord(token: string): boolean {
  return WORD.test(token);
}

function countWords(tokens: readonly string[]): number {
  return tokens.reduce((count, token) => count + (isWord(token) ? 1 : 0), 0);
}

/** Joins neighbors of the same kind. */
function join(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const { isChanged, old, young } of pieces) {
    const last = joined.at(-1);
    if (last?.isChanged === isChanged) {
      for (const token of old) {
        last.old.push(token);
      }
      for (const token of young) {
        last.young.push(token);
      }
    } else {
      joined.push({ isChanged, old: [...old], young: [...young] });
    }
  }
  return joined;
}

/** A space at the end of both versions is not part of the change. */
function keepSpaceAtEnd({ isChanged, old, young }: Piece): Piece[] {
  const hasSpace = [old, young].every((tokens) => tokens.length > 1 && SPACE.test(tokens.at(-1) ?? ''));
  return isChanged && hasSpace
    ? [
        { isChanged, old: old.slice(0, -1), young: young.slice(0, -1) },
        { isChanged: false, old: old.slice(-1), young: young.slice(-1) },
      ]
    : [{ isChanged, old, young }];
}

/** A change of this many words is a long one. */
const LONG = 4;

/** Treats a space between two changes as changed, and a word or two between long ones, which are equal by accident. */
function dropCoincidences(pieces: readonly Piece[]): Piece[] {
  const sizes = pieces.map(({ old, young }) => Math.max(countWords(old), countWords(young)));
  return pieces.map((piece, index) => {
    const [size = 0, before = 0, after = 0] = [sizes[index], sizes[index - 1], sizes[index + 1]];
    const isBetween = index > 0 && index < pieces.length - 1;
    const isSpace = piece.young.every((token) => SPACE.test(token));
    const isCoincidence = isSpace || (size <= 2 && before >= LONG && after >= LONG);
    return isBetween && isCoincidence ? { ...piece, isChanged: true } : piece;
  });
}
