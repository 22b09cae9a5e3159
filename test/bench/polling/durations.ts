import type { Dice } from '../../support/dice';

/** A set of job durations: draws one, in seconds. */
export type Durations = (random: Dice) => number;

/** How far the logarithm of the 95th percentile is from the middle, in standard deviations. */
const P95 = 1.6448536;

export interface DurationSet {
  name: string;
  draw: Durations;
}

/** Half of the jobs take four minutes, one in twenty more than twenty. */
const USUAL = logNormal(240, Math.log(1200 / 240) / P95);

/** A project with three kinds of jobs; those of a kind take about the same time. */
const KINDS = [20, 240, 1500].map((middle) => logNormal(middle, 0.2));

/**
 * As reported, not as recorded by us, because no project of ours has a history: 31 days of sessions of a coding agent in
 * the repository github/gh-aw up to 2026-03-25 (its discussion 22881), median 9.9 minutes and mean 11.2 minutes, to which
 * a log-normal shape is fitted.
 */
const REPORTED = logNormal(9.9 * 60, Math.sqrt(2 * Math.log(11.2 / 9.9)));

export const DURATION_SETS: readonly DurationSet[] = [
  { name: 'median 4 min, p95 20 min', draw: USUAL },
  { name: 'mix of 20 s, 4 min, 25 min', draw: (random) => KINDS[Math.floor(random() * KINDS.length)]?.(random) ?? NaN },
  { name: 'sessions of an agent as reported, median 9.9 min', draw: REPORTED },
];

/** Lengths of which this is the middle one, and whose logarithms have this standard deviation. */
function logNormal(middle: number, deviation: number): Durations {
  return (random) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return middle * Math.exp(deviation * normal);
  };
}
