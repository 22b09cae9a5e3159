/** What was measured of ours, and of a floor in the same run. */
export interface Comparison {
  what: string;
  ours: number;
  /** What it is held against. */
  floor: string;
  theirs: number;
  unit: 'ms' | 'MiB';
}

/** The middle of so many measurements. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Milliseconds that each of `count` runs takes, one after the other. */
export async function timed(count: number, work: (index: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    await work(index);
    times.push(performance.now() - start);
  }
  return times;
}
