/** What is counted: times, sizes, shares in per cent, or a plain number of things. Of all, less is better. */
export type Unit = 'ms' | 's' | 'KiB' | 'MiB' | '%' | '';

/** One of the statistics of what was measured. */
export type Statistic = 'best' | 'median' | 'worst';

/** The measurements of one thing. */
export interface Measured {
  best: number;
  median: number;
  worst: number;
  /** Between these lies the middle half of the measurements. */
  spread: readonly [number, number];
  /** How many measurements. */
  count: number;
}

/** What a figure has to be: this statistic of ours, or its ratio, at most so much. */
export interface Bound {
  of: Statistic | 'ratio';
  most: number;
}

/** A floor or a peer that was measured in the same run. */
export interface Peer extends Measured {
  name: string;
}

/** How many times the peer's ours is. */
export interface Ratio {
  /** The statistic that was divided. */
  of: Statistic;
  value: number;
  /** Between these lies the middle half of the ratios of every measurement of ours to every one of the peer. */
  spread: readonly [number, number];
}

/** One figure, as it stands in the files and is printed. */
export interface Figure {
  name: string;
  unit: Unit;
  ours: Measured;
  peer?: Peer | undefined;
  ratio?: Ratio | undefined;
  wanted?: Bound | undefined;
  /** Whether it is as wanted. */
  met?: boolean | undefined;
}

/** What a benchmark has measured. One number is a measurement too. */
export interface Measurements {
  name: string;
  unit: Unit;
  ours: readonly number[] | number;
  peer?: { name: string; measured: readonly number[] | number } | undefined;
  /** The statistic whose ratio is told: the median, unless another one says more. */
  by?: Statistic | undefined;
  wanted?: Bound | undefined;
}

/** The figure that measurements make. */
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
  // Against nothing there is no ratio that could be told, but something is too much.
  const told = [ratio.value, ...ratio.spread].every(Number.isFinite) ? ratio : undefined;
  return { name, unit, ours: measured, peer: other, ratio: told, wanted, met: met(wanted, measured, ratio) };
}

/** The middle of so many measurements. */
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

/** Nothing is as much as nothing. */
function quotient(a: number, b: number): number {
  return a === b ? 1 : a / b;
}

/** Of sorted numbers the one at this share, between two neighbours where it falls between them. */
function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? NaN;
  const above = sorted[Math.ceil(place)] ?? NaN;
  return below + (above - below) * (place - Math.floor(place));
}
