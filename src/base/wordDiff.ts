import { Diff } from 'diff';

/** A piece of a text and of its new version: unchanged, or replaced. */
export interface WordChange {
  readonly isChanged: boolean;
  /** The piece before and after the change; one of them is empty for words that were only added or deleted. */
  readonly before: string;
  readonly after: string;
}

/** Words, line breaks, other white space, and single other characters. A lone surrogate counts as a letter. */
const TOKEN = /[\p{L}\p{M}\p{N}\p{Cs}_]+|\n|[^\S\n]+|[^\p{L}\p{M}\p{N}\p{Cs}_\s]/gu;

/** The library's `diffWordsWithSpace`, in which only Latin letters make words, for words of any script. */
class WordsOfAnyScript extends Diff<string, string> {
  override tokenize(text: string): string[] {
    return text.match(TOKEN) ?? [];
  }
}

const words = new WordsOfAnyScript();

/**
 * The library takes a number of steps quadratic in the number of edits. This many take 30 ms, for all that one
 * {@link createWordDiff} compares: anyone can write a diff.
 */
const MAX_STEPS = 400_000;

/** Below this share of kept text, the marks would only confuse. */
const MIN_KEPT = 0.25;

/** Returns the pieces of a text and of its new version, in order; a single change if they have little in common. */
export type WordDiff = (before: string, after: string) => WordChange[];

/** Returns a word diff for the texts that are shown together. Once it has compared enough, it marks whole texts. */
export function createWordDiff(): WordDiff {
  let left = MAX_STEPS;
  return (before, after) => {
    if (before === '' || after === '') {
      return before + after === '' ? [] : [{ isChanged: true, before, after }];
    }
    const maxEditLength = Math.floor(Math.sqrt(left));
    const runs = words.diff(before, after, { maxEditLength });
    const edits = runs?.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0);
    left -= (edits ?? maxEditLength) ** 2;
    const changes = joinRuns(runs ?? []);
    const kept = changes.reduce((sum, { isChanged, after: text }) => sum + (isChanged ? 0 : text.trim().length), 0);
    const isUseful = runs !== undefined && kept >= MIN_KEPT * Math.min(before.length, after.length);
    return isUseful ? changes.flatMap(keepSpaceAtEnd) : [{ isChanged: true, before, after }];
  };
}

/** A space between two changed words is part of the change. */
function joinRuns(runs: readonly { added: boolean; removed: boolean; value: string }[]): WordChange[] {
  const changes: WordChange[] = [];
  for (const { added, removed, value } of runs) {
    const isChanged = added || removed;
    const space = changes.at(-1);
    if (isChanged && changes.length > 1 && space !== undefined && /^[^\S\n]+$/.test(space.after)) {
      changes.pop();
      append(changes, { ...space, isChanged });
    }
    append(changes, { isChanged, before: added ? '' : value, after: removed ? '' : value });
  }
  return changes;
}

/** A space at the end of both versions is not part of the change. */
function keepSpaceAtEnd(change: WordChange): WordChange[] {
  const { isChanged, before, after } = change;
  const hasSpace =
    isChanged && [before, after].every((text) => /\S[^\S\n]$/.test(text)) && before.at(-1) === after.at(-1);
  return hasSpace
    ? [
        { isChanged, before: before.slice(0, -1), after: after.slice(0, -1) },
        { isChanged: false, before: before.slice(-1), after: after.slice(-1) },
      ]
    : [change];
}

function append(changes: WordChange[], change: WordChange): void {
  const last = changes.at(-1);
  if (last?.isChanged === change.isChanged) {
    changes[changes.length - 1] = { ...last, before: last.before + change.before, after: last.after + change.after };
  } else {
    changes.push(change);
  }
}
