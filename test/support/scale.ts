import { appendFileSync } from 'node:fs';

/** True in `npm run test:long`. */
export const isLongRun = process.env['DOCS_AGENT_TEST_LONG'] === '1';

/** How often a test of a promise tries to break it: the full count in the long run, a reduced count in `npm test`. */
export function scaled(short: number, full: number): number {
  return isLongRun ? full : short;
}

/** The seed of this run, a 31-bit number: given to replay a run, otherwise random. */
export const seed = Number(process.env['DOCS_AGENT_TEST_SEED'] ?? Math.floor(Math.random() * 0x7fffffff));

/** A promise (L1 to S13, requirements) and what was measured for it. */
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
