import { diffArrays } from 'diff';
import { splitLines } from '../base/text';
import { MAX_SEARCHED, placesOf } from './reviewComments';

/** Where commented lines are in a later version of their file, and whether they have changed. */
export interface FollowedLines {
  /** The line at which they start now, or at which their replacement starts; counts from 1. */
  from: number;
  isChanged: boolean;
}

/**
 * With more edits between two texts, or more UTF-16 units in both together, only the quoted lines are searched for. A
 * full comparison takes time quadratic in the number of edits, and blocks the editor.
 */
const MAX_EDITS = 400;
const MAX_COMPARED = 300_000;

/**
 * Follows commented lines into a later version of their file. They are unchanged if they are all still there, next to
 * each other, even if they were moved. In a text that is too long to be searched, they count as unchanged.
 *
 * @param quoted the lines when they were commented
 * @param from their first line number then; counts from 1
 * @param before the version that was commented; undefined if it can't be read
 * @param after the later version
 */
export function followLines(quoted: string, from: number, before: string | undefined, after: string): FollowedLines {
  if (quoted.length + after.length > MAX_SEARCHED) {
    return { from, isChanged: false };
  }
  const wanted = quoted.split('\n');
  const lines = splitLines(after);
  const runs =
    before === undefined || before.length + after.length > MAX_COMPARED
      ? undefined
      : diffArrays(splitLines(before), lines, { maxEditLength: MAX_EDITS });
  if (runs === undefined) {
    const places = placesOf(wanted, lines);
    // A blank line matches everywhere and identifies nothing.
    const only = places.length === 1 && quoted.trim() !== '' ? places[0] : undefined;
    const found = places.includes(from) ? from : only;
    return { from: found ?? Math.min(from, lines.length), isChanged: places.length === 0 };
  }
  const added = new Set<number>();
  let [old, young] = [1, 1];
  let near = 1;
  for (const { added: isAdded, removed: isRemoved, count } of runs) {
    const isKept = !isAdded && !isRemoved;
    if (isKept && old <= from && from + wanted.length <= old + count) {
      return { from: young + from - old, isChanged: false };
    }
    if (!isAdded && old <= from && from < old + count) {
      near = isKept ? young + from - old : young;
    }
    for (let line = young; isAdded && line < young + count; line += 1) {
      added.add(line);
    }
    old += isAdded ? 0 : count;
    young += isRemoved ? 0 : count;
  }
  // Equal lines that were elsewhere before are not the commented ones.
  const places =
    quoted.trim() === '' ? [] : placesOf(wanted, lines).filter((at) => wanted.every((_, i) => added.has(at + i)));
  const [only] = places;
  return only !== undefined && places.length === 1
    ? { from: only, isChanged: false }
    : { from: Math.min(near, lines.length), isChanged: true };
}
