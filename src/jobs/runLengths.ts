/** How wide the smear around the length of a past run may be, in natural logarithms: a run is like it by so much. */
const WIDTHS = [0.05, 0.1, 0.2, 0.4];

/** What is held likely without any run, with the weight of so many runs: half of them take four minutes, few an hour. */
const BEFORE = { runs: 2, middle: Math.log(240), width: 1.3 };

/**
 * The share of a project's runs that end by each of some ages, in seconds, as past runs let one expect: each of them
 * smeared out over lengths that are like it (a kernel estimate of the logarithm), beside what is likely anyway.
 */
export function shareEndedBy(lengths: readonly number[], ages: Float64Array): Float64Array {
  const logs = lengths.map((length) => Math.log(Math.max(1, length)));
  const width = likeliestWidth(logs);
  return ages.map((age) => {
    const log = Math.log(age);
    const before = BEFORE.runs * normalShare((log - BEFORE.middle) / BEFORE.width);
    const all = logs.reduce((sum, each) => sum + normalShare((log - each) / width), before);
    return age <= 0 ? 0 : all / (logs.length + BEFORE.runs);
  });
}

/** The width by which each run would have been expected best from all the others. */
function likeliestWidth(logs: readonly number[]): number {
  const rated = WIDTHS.map((width) => ({ width, fit: fitOf(logs, width) }));
  return rated.reduce((a, b) => (b.fit > a.fit ? b : a)).width;
}

function fitOf(logs: readonly number[], width: number): number {
  let fit = 0;
  for (const [index, log] of logs.entries()) {
    let density = BEFORE.runs * normalDensity((log - BEFORE.middle) / BEFORE.width, BEFORE.width);
    for (const [other, from] of logs.entries()) {
      density += other === index ? 0 : normalDensity((log - from) / width, width);
    }
    fit += Math.log(Math.max(Number.MIN_VALUE, density));
  }
  return fit;
}

function normalDensity(x: number, width: number): number {
  return Math.exp((-x * x) / 2) / (width * Math.sqrt(2 * Math.PI));
}

/** The normal distribution's share below `x` (Abramowitz and Stegun 26.2.17, to seven digits). */
function normalShare(x: number): number {
  const near = 1 / (1 + 0.2316419 * Math.abs(x));
  const series =
    near * (0.31938153 + near * (-0.356563782 + near * (1.781477937 + near * (-1.821255978 + near * 1.330274429))));
  const above = normalDensity(x, 1) * series;
  return x > 0 ? 1 - above : above;
}
