import { parse } from 'diff2html';
import { pathOf } from './diffPath';
import type { ReviewComment } from './reviewComments';

/** Finds the text of a line that a diff shows; undefined where it does not show it. */
export type LineLookup = (at: Pick<ReviewComment, 'path' | 'side'>, line: number) => string | undefined;

/** @param diff what `git diff` prints */
export function diffLines(diff: string): LineLookup {
  const files = new Map<string, string>();
  for (const file of parse(diff)) {
    const path = pathOf(file);
    for (const { content, oldNumber, newNumber } of file.blocks.flatMap(({ lines }) => lines)) {
      for (const [side, line] of Object.entries({ old: oldNumber, new: newNumber })) {
        if (line !== undefined) {
          files.set(keyOf({ path, side }, line), content.slice(1));
        }
      }
    }
  }
  return (at, line) => files.get(keyOf(at, line));
}

function keyOf({ path, side }: { path: string; side: string }, line: number): string {
  return `${side} ${line} ${path}`;
}
