import type { Figure } from './figures';

/** What one benchmark found. */
export interface Findings {
  /** The name by which it is asked for. */
  name: string;
  /** What stands above its table; benchmarks that follow each other and have the same one share a table. */
  title: string;
  figures: readonly Figure[];
  /** What one has to know of how it was measured. */
  about?: string | undefined;
}

/** Findings with the day and the machine, which may differ in one report. */
export interface Dated extends Findings {
  /** Such as `2026-11-22`. */
  day: string;
  machine: string;
  rounds: number;
}

/** Everything that was found, in the order of the benchmarks. */
export interface Report {
  benchmarks: readonly Dated[];
}

/** What was found now takes the place of what was found before; in the order of `names`, and without what has gone. */
export function merged(before: Report, found: readonly Dated[], names: readonly string[]): Report {
  const all = new Map([...before.benchmarks, ...found].map((each) => [each.name, each]));
  return { benchmarks: names.flatMap((name) => all.get(name) ?? []) };
}
