import { appendFileSync } from 'node:fs';

/** True in `npm run test:long`. */
export const isLongRun = process.env['DOCS_AGENT_TEST_LONG'] === '1';

/** How often a test of a promise tries to break it: the full count in the long run, a reduced count in `npm test`. */
export function scaled(short: number, full: number): number {
  return isLongRun ? full : short;
}

/** The seed of this run, a 31-bit number: given to replay a run, otherwise random. */
export const seed = Number(process.env['DOCS_AGENT_TEST_SEED'] ?? Math.floor(Math.random() * 0x7fffffff));

/** A promise (L1 to S15) and what was measured for it. */
export interface Figure {
  promise: string;
  /** What was tried, with the count: `1,000 kills at write points`. */
  what: string;
  /** The outcome: `0 prompts lost`. */
  figure: string;
}

/** Adds a row to the table that `npm run test:long` prints. */
export function report(figure: Figure): void {
  const file = process.env['DOCS_AGENT_TEST_FIGURES'];
  if (file !== undefined) {
    appendFileSync(file, `${JSON.stringify(figure)}\n`);
  }
}

// Time limits in tests only end what hangs, so they are far longer than anything takes on a busy machine that stalls
// for a minute. How fast something is belongs in `test/bench`.

/** How long a test may take, in milliseconds. */
export const TEST_LIMIT = 300_000;

/** How long a test may wait for one thing, in milliseconds. */
export const WAIT_LIMIT = 120_000;

/** A random number generator for [0, 1) that repeats its sequence for the same seed (mulberry32). */
export type Dice = () => number;

export function seededRandom(seed: number): Dice {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
