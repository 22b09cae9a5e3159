import type { Figure } from './figures';

/** The results of one benchmark. */
export interface Findings {
  /** The name used on the command line. */
  name: string;
  /** The title of its table; consecutive benchmarks with the same title share a table. */
  title: string;
  figures: readonly Figure[];
  /** Notes on how it was measured. */
  about?: string | undefined;
}

/** Results with their day and machine, which may differ within one report. */
export interface Dated extends Findings {
  /** Such as `2026-11-22`. */
  day: string;
  machine: string;
  rounds: number;
}

/** All results, in the order of the benchmarks. */
export interface Report {
  benchmarks: readonly Dated[];
}

/** Replaces earlier results with new ones. Keeps the order of `names` and drops benchmarks that no longer exist. */
export function merged(before: Report, found: readonly Dated[], names: readonly string[]): Report {
  const all = new Map([...before.benchmarks, ...found].map((each) => [each.name, each]));
  return { benchmarks: names.flatMap((name) => all.get(name) ?? []) };
}
