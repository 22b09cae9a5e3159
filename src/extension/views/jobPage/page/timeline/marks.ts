import type { Entry } from '../../model';

/** What is to be marked at a place on the line. */
export interface Placed {
  /** In pixels. */
  readonly x: number;
  readonly what: Entry;
}

/** Marks that would lie on each other are one. */
export interface Mark {
  readonly x: number;
  /** 0 is next to the line. */
  readonly lane: number;
  readonly all: readonly Entry[];
}

/** Higher than this the marks would hide which moment they belong to. */
const LANES = 3;

/**
 * Stacks marks that stand too near to each other, and joins them where the stack is full. In order of place.
 *
 * @param size of a mark with the air around it, in pixels
 */
export function stackMarks(placed: readonly Placed[], size: number): Mark[] {
  const marks: { x: number; lane: number; all: Entry[] }[] = [];
  const last: (typeof marks)[number][] = [];
  for (const { x, what } of [...placed].sort((a, b) => a.x - b.x)) {
    const free = Array.from({ length: LANES }, (_, lane) => lane).find((lane) => x - (last[lane]?.x ?? -size) >= size);
    const full = last[LANES - 1];
    if (free === undefined && full !== undefined) {
      full.all.push(what);
    } else {
      const mark = { x, lane: free ?? 0, all: [what] };
      marks.push(mark);
      last[mark.lane] = mark;
    }
  }
  return marks;
}

/** A strip of what happened so often that single strokes can't be told apart. */
export interface Strip {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Joins places that are nearer than `gap` pixels. */
export function stripsOf(places: readonly number[], gap: number): Strip[] {
  const strips: { from: number; to: number; count: number }[] = [];
  for (const place of [...places].sort((a, b) => a - b)) {
    const last = strips.at(-1);
    if (last !== undefined && place - last.to < gap) {
      last.to = place;
      last.count += 1;
    } else {
      strips.push({ from: place, to: place, count: 1 });
    }
  }
  return strips;
}
