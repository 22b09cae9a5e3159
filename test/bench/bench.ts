// `npm run bench`: measures what the extension and the local service cost, each against a floor or a peer in the same
// run. Prints the figures as Markdown and saves them in `out/bench/<day>.json`. Benchmark names as arguments measure
// only these and keep the file's other results. `--rounds N` sets how often each is measured, `--out NAME` names the
// file, `--write` also writes all results of the file to docs/benchmarks.md. With `--written` nothing is measured and
// the existing file is used.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkoutRoot, outFolder } from '../support/vscode/paths';
import { runChecked } from '../support/vscode/run';
import { BENCHMARKS } from './benchmarks';
import { toMarkdown, toPage } from './markdown';
import { type Dated, type Report, merged } from './report';

const day = new Date().toISOString().slice(0, 10);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    out: { type: 'string', default: day },
    write: { type: 'boolean', default: false },
    written: { type: 'boolean', default: false },
  },
});
const names = BENCHMARKS.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  throw new Error(`there is no benchmark ${unknown.join(', ')}; there are ${names.join(', ')}`);
}
const file = join(outFolder, 'bench', `${values.out}.json`);
const chosen = BENCHMARKS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

if (!values.written) {
  await runChecked(process.execPath, ['scripts/esbuild.mjs'], { cwd: checkoutRoot });
}
for (const { name, title, measure } of values.written ? [] : chosen) {
  process.stderr.write(`${name} …\n`);
  const found = { name, title, ...(await measure(Number(values.rounds))) };
  // Saved after each benchmark, so that a failing one does not lose the others.
  await keep({ ...found, day, machine: machine(), rounds: Number(values.rounds) });
}
const report = await kept();
const shown = report.benchmarks.filter(({ name }) => chosen.some((each) => each.name === name));
process.stdout.write(toMarkdown({ benchmarks: shown }));
if (values.write) {
  const path = join(checkoutRoot, 'docs', 'benchmarks.md');
  await writeFile(path, toPage(report));
  await runChecked(process.execPath, ['node_modules/oxfmt/bin/oxfmt', path], { cwd: checkoutRoot });
}

async function keep(found: Dated): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(merged(await kept(), [found], names), undefined, 2)}\n`);
}

async function kept(): Promise<Report> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Report;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw error;
    }
    return { benchmarks: [] };
  }
}

function machine(): string {
  const system = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }[process.platform as string] ?? process.platform;
  return `${system}, ${cpus().length} cores`;
}
