export type Unit = 'ms' | 's' | 'KiB' | 'MiB';

/** What was measured, lower being better. A single number counts as one measurement. */
export interface Row {
  name: string;
  unit: Unit;
  measured: readonly number[] | number;
  baseline?: { name: string; measured: readonly number[] | number };
  /** What the median must not exceed. */
  maxMedian?: number;
  /** What the ratio must not exceed. */
  maxRatio?: number;
}

export interface Benchmark {
  title: string;
  rows: readonly Row[];
  /** How it was measured. */
  about: string;
}

const HEAD = ['Measured', 'Result', 'Compared with', 'Baseline', 'Ratio', 'Target'];
const RULE = ['---', '--:', '---', '--:', '--:', '--:'];

/** The section of the page for a benchmark. */
export function section({ title, rows, about }: Benchmark, circumstances: string): string {
  const lines = [HEAD, RULE, ...rows.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |`);
  return `## ${title}\n\n${lines.join('\n')}\n\n${about} ${circumstances}.\n`;
}

function cellsOf({ name, unit, measured, baseline, maxMedian, maxRatio }: Row): string[] {
  const ours = statistics(measured);
  const theirs = baseline === undefined ? undefined : statistics(baseline.measured);
  const ratio = theirs === undefined ? undefined : ours.best / theirs.best;
  const isMissed = ours.median > (maxMedian ?? Infinity) || (ratio ?? 0) > (maxRatio ?? Infinity);
  const target = [
    ...(maxMedian === undefined ? [] : [`≤ ${number(maxMedian)} ${unit}`]),
    ...(maxRatio === undefined ? [] : [`ratio ≤ ${number(maxRatio)}`]),
  ].join(', ');
  return [
    name,
    resultText(ours, unit),
    baseline?.name ?? '',
    theirs === undefined ? '' : resultText(theirs, unit),
    ratio === undefined ? '' : number(ratio),
    isMissed ? `${target} ✗` : target,
  ];
}

function statistics(measured: readonly number[] | number): { best: number; median: number } {
  const sorted = [measured].flat().toSorted((a, b) => a - b);
  return { best: sorted[0] ?? NaN, median: sorted[Math.floor(sorted.length / 2)] ?? NaN };
}

function resultText({ best, median }: { best: number; median: number }, unit: Unit): string {
  return [...new Set([number(best), number(median)])].join(' / ') + ` ${unit}`;
}

/** Three significant digits, at most two decimals. */
function number(value: number): string {
  const digits = Math.min(2, Math.max(0, 2 - Math.floor(Math.log10(Math.max(1e-9, Math.abs(value))))));
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}
