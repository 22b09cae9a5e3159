/** The unit of a figure: time, size, percentage, or a plain count. Lower is better for all of them. */
export type Unit = 'ms' | 's' | 'KiB' | 'MiB' | '%' | '';

/** A statistic of the measurements. */
export type Statistic = 'best' | 'median' | 'worst';

/** The measurements of one quantity. */
export interface Measured {
  best: number;
  median: number;
  worst: number;
  /** The range of the middle half of the measurements. */
  spread: readonly [number, number];
  /** The number of measurements. */
  count: number;
}

/** The target of a figure: this statistic, or the ratio, must not exceed this value. */
export interface Bound {
  of: Statistic | 'ratio';
  most: number;
}

/** A floor or a peer measured in the same run. */
export interface Peer extends Measured {
  name: string;
}

/** Our value as a multiple of the peer's. */
export interface Ratio {
  /** The statistic that the ratio compares. */
  of: Statistic;
  value: number;
  /** The range of the middle half of the ratios of each of our measurements to each of the peer's. */
  spread: readonly [number, number];
}

/** One figure, as saved and printed. */
export interface Figure {
  name: string;
  unit: Unit;
  ours: Measured;
  peer?: Peer | undefined;
  ratio?: Ratio | undefined;
  wanted?: Bound | undefined;
  /** Whether it meets its target. */
  met?: boolean | undefined;
}

/** What a benchmark has measured; a single number counts as one measurement. */
export interface Measurements {
  name: string;
  unit: Unit;
  ours: readonly number[] | number;
  peer?: { name: string; measured: readonly number[] | number } | undefined;
  /** The statistic used for the ratio; the median when absent. */
  by?: Statistic | undefined;
  wanted?: Bound | undefined;
}

/** Returns the figure for these measurements. */
export function figure({ name, unit, ours, peer, by = 'median', wanted }: Measurements): Figure {
  const mine = listOf(ours);
  const measured = measuredOf(mine);
  if (peer === undefined) {
    return { name, unit, ours: measured, wanted, met: met(wanted, measured, undefined) };
  }
  const theirs = listOf(peer.measured);
  const other = { name: peer.name, ...measuredOf(theirs) };
  const ratios = mine.flatMap((a) => theirs.map((b) => quotient(a, b))).toSorted((a, b) => a - b);
  const ratio: Ratio = {
    of: by,
    value: quotient(measured[by], other[by]),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  };
  // A ratio to zero cannot be shown, but it still exceeds any bound.
  const told = [ratio.value, ...ratio.spread].every(Number.isFinite) ? ratio : undefined;
  return { name, unit, ours: measured, peer: other, ratio: told, wanted, met: met(wanted, measured, ratio) };
}

/** Returns the median of these numbers. */
export function median(numbers: readonly number[]): number {
  return measuredOf(numbers).median;
}

function measuredOf(numbers: readonly number[]): Measured {
  const sorted = numbers.toSorted((a, b) => a - b);
  return {
    best: quantile(sorted, 0),
    median: quantile(sorted, 0.5),
    worst: quantile(sorted, 1),
    spread: [quantile(sorted, 0.25), quantile(sorted, 0.75)],
    count: sorted.length,
  };
}

function met(wanted: Bound | undefined, ours: Measured, ratio: Ratio | undefined): boolean | undefined {
  if (wanted === undefined) {
    return undefined;
  }
  const value = wanted.of === 'ratio' ? ratio?.value : ours[wanted.of];
  return value !== undefined && value <= wanted.most;
}

function listOf(numbers: readonly number[] | number): readonly number[] {
  return typeof numbers === 'number' ? [numbers] : numbers;
}

/** Returns a / b, or 1 for equal numbers, including 0 / 0. */
function quotient(a: number, b: number): number {
  return a === b ? 1 : a / b;
}

/** Returns a quantile of sorted numbers; interpolates between neighbors. */
function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? NaN;
  const above = sorted[Math.ceil(place)] ?? NaN;
  return below + (above - below) * (place - Math.floor(place));
}
