import type { Bound, Figure, Measured, Unit } from './figures';
import type { Dated, Report } from './report';

const HEAD = ['Measured', 'Result', 'Compared with', 'Baseline', 'Ratio', 'Target'];
const RULE = ['---', '--:', '---', '--:', '--:', '--:'];

/** The top of the page: what was measured and how to read the tables. */
const INTRODUCTION = `# Benchmarks

\`npm run bench -- --write\` measures and writes this page. Every figure is compared with a baseline measured in the same
run, because absolute times say little about another machine.

*Result* and *Baseline* are the best and the median of all rounds. *Ratio* is the ratio of the medians unless it says best or
worst; the interquartile range of all ratios follows in parentheses. ✗ marks a figure that misses its target.
`;

/** Formats a report as Markdown: one table per title, followed by its notes. */
export function toMarkdown(report: Report): string {
  const parts = tablesOf(report).map((benchmarks) => {
    const rows = rowsOf(benchmarks.flatMap(({ figures }) => figures));
    const table = [HEAD, RULE, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
    return `**${benchmarks[0]?.title ?? ''}** (${circumstances(benchmarks)})\n\n${table}\n${aboutOf(benchmarks)}`;
  });
  return parts.join('\n');
}

/** Returns the whole page `docs/benchmarks.md`. */
export function toPage(report: Report): string {
  return `${INTRODUCTION}\n${toMarkdown(report)}`;
}

function tablesOf({ benchmarks }: Report): Dated[][] {
  const tables: Dated[][] = [];
  for (const benchmark of benchmarks) {
    const last = tables.at(-1);
    if (last?.[0]?.title === benchmark.title) {
      last.push(benchmark);
    } else {
      tables.push([benchmark]);
    }
  }
  return tables;
}

/** Returns machine, day and rounds; several values of each are joined. */
function circumstances(benchmarks: readonly Dated[]): string {
  const different = (of: (each: Dated) => string): string => [...new Set(benchmarks.map(of))].join(' and ');
  const rounds = different((each) => `${each.rounds} ${each.rounds === 1 ? 'round' : 'rounds'}`);
  return `${different(({ machine }) => machine)}, ${different(({ day }) => day)}, ${rounds}`;
}

function aboutOf(benchmarks: readonly Dated[]): string {
  const about = benchmarks.flatMap((each) => each.about ?? []);
  return about.length === 0 ? '' : `\n${about.join(' ')}\n`;
}

/** Leaves out a name that repeats the one in the row above. */
function rowsOf(figures: readonly Figure[]): string[][] {
  return figures.map((each, index) => {
    const [name = '', ...rest] = rowOf(each);
    return [name === figures[index - 1]?.name ? '' : name, ...rest];
  });
}

function rowOf({ name, unit, ours, peer, ratio, wanted, met }: Figure): string[] {
  const spread = ratio === undefined || alike(...ratio.spread) ? '' : ` (${ratio.spread.map(ratioText).join('–')})`;
  const of = ratio === undefined || ratio.of === 'median' ? '' : ` ${ratio.of}`;
  return [
    name,
    measuredText(ours, unit),
    peer?.name ?? '',
    peer === undefined ? '' : measuredText(peer, unit),
    ratio === undefined ? '' : `${ratioText(ratio.value)}${of}${spread}`,
    wanted === undefined ? '' : `${boundText(wanted, unit)}${met === true ? '' : ' ✗'}`,
  ];
}

function measuredText({ best, median, count }: Measured, unit: Unit): string {
  const [first, second] = [valueText(best, unit), valueText(median, unit)];
  return count === 1 || first === second ? first : `${withoutUnit(first, unit)} / ${second}`;
}

function boundText({ of, most }: Bound, unit: Unit): string {
  return of === 'ratio' ? `ratio ≤ ${ratioText(most)}` : `${of} ≤ ${valueText(most, unit)}`;
}

/** Formats with three significant digits and at most two decimals. */
function valueText(value: number, unit: Unit): string {
  const digits = Math.min(2, Math.max(0, 2 - Math.floor(Math.log10(Math.max(1e-9, Math.abs(value))))));
  const number = value.toLocaleString('en', { maximumFractionDigits: digits });
  return unit === '' ? number : `${number} ${unit}`;
}

function withoutUnit(text: string, unit: Unit): string {
  return unit === '' ? text : text.slice(0, -unit.length - 1);
}

function ratioText(ratio: number): string {
  return valueText(ratio, '');
}

function alike(from: number, to: number): boolean {
  return ratioText(from) === ratioText(to);
}
