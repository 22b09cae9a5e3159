// `npm run bench`: measures what the extension, the documentation check, and jobs cost, where possible next to a baseline in
// the same run, and prints a section for each benchmark. Names as arguments measure only these; `--rounds N` sets how
// often. `--write` also replaces the sections in docs/benchmarks.md.
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkoutRoot } from '../support/vscode/paths';
import { runChecked } from '../support/vscode/run';
import { measureChecks } from './checks';
import { measureJobs } from './jobs';
import { measurePrompt } from './prompt';
import { measureStartup } from './startup';
import { measureTeam } from './team';
import { type Benchmark, section } from './benchWindow';

/** In the order of the page. */
const BENCHMARKS: Readonly<Record<string, (rounds: number) => Promise<Benchmark>>> = {
  startup: measureStartup,
  checks: measureChecks,
  prompt: measurePrompt,
  jobs: measureJobs,
  team: measureTeam,
};

const PAGE = join(checkoutRoot, 'docs', 'benchmarks.md');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
const unknown = positionals.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  throw new Error(`There is no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}.`);
}

await runChecked(process.execPath, ['scripts/esbuild.mjs'], { cwd: checkoutRoot });
for (const [name, measure] of Object.entries(BENCHMARKS)) {
  if (positionals.length === 0 || positionals.includes(name)) {
    process.stderr.write(`${name} …\n`);
    const found = section(await measure(rounds), circumstances());
    process.stdout.write(`${found}\n`);
    // Written after each benchmark, so that a failing one does not lose the others.
    await (values.write ? replaceSection(found) : undefined);
  }
}

function circumstances(): string {
  const system = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }[process.platform as string] ?? process.platform;
  return `${system}, ${cpus().length} cores, ${new Date().toISOString().slice(0, 10)}, ${rounds} rounds`;
}

/** Replaces the section with the same heading, or adds it at the end. */
async function replaceSection(text: string): Promise<void> {
  const [heading = ''] = text.split('\n', 1);
  const parts = (await readFile(PAGE, 'utf8')).split(/^(?=## )/m);
  const at = parts.findIndex((part) => part.startsWith(`${heading}\n`));
  parts.splice(at === -1 ? parts.length : at, at === -1 ? 0 : 1, `${text}\n`);
  await writeFile(PAGE, parts.join(''));
  await runChecked(process.execPath, ['node_modules/oxfmt/bin/oxfmt', PAGE], { cwd: checkoutRoot });
}
