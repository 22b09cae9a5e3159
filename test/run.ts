// `npm test`: every check and every test, in order, with one line of counts at the end. Names of steps as arguments run
// only these; `--grep TEXT` keeps the tests whose names hold it; `--long` tries each promise as often as its figure says
// and prints what was measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureNode } from './support/vscode/install';
import { mochaArguments } from './support/vscode/mochaCommand';
import { type Figure, seed } from './support/scale';
import { checkoutRoot } from './support/vscode/paths';
import { withTemporaryFolder } from './support/vscode/temporaryFolder';

/** The longest that one unit or contract test may take unless it says otherwise, in milliseconds. */
const TEST_LIMIT = 20_000;

interface Step {
  name: string;
  /** A check passes or fails as a whole; a suite reports counts. */
  kind: 'check' | 'suite';
  /** Steps without which this one has no meaning. */
  needs?: readonly string[];
  /** Program and arguments. */
  command: () => Promise<string[]>;
}

interface StepResult {
  name: string;
  outcome: 'ok' | 'failed' | 'not run';
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { grep: { type: 'string' }, long: { type: 'boolean', default: false } },
});

const steps: readonly Step[] = [
  { name: 'lint', kind: 'check', command: async () => tool('eslint/bin/eslint.js', '.', '--max-warnings', '0') },
  { name: 'format', kind: 'check', command: async () => tool('prettier/bin/prettier.cjs', '--check', '.') },
  { name: 'types', kind: 'check', command: async () => tool('typescript/bin/tsc', '--noEmit', '-p', '.') },
  { name: 'build', kind: 'check', command: async () => [process.execPath, 'esbuild.mjs'] },
  { name: 'unit', kind: 'suite', command: async () => mocha('test/unit/**/*.test.ts') },
  { name: 'contract', kind: 'suite', needs: ['build'], command: async () => mocha('test/contract/**/*.test.ts') },
  { name: 'faults', kind: 'suite', needs: ['build'], command: async () => mocha('test/faults/**/*.test.ts') },
  { name: 'integration', kind: 'suite', needs: ['build'], command: async () => script('test/integration/runTest.ts') },
  { name: 'e2e', kind: 'suite', needs: ['build'], command: async () => script('test/e2e/runTest.ts') },
];

process.exitCode = await withTemporaryFolder((folder) => runSteps(chosenSteps(positionals), folder));

/** Runs the steps, prints the tables, and returns the exit code. */
async function runSteps(chosen: readonly Step[], folder: string): Promise<number> {
  const results: StepResult[] = [];
  const figures = join(folder, 'figures.jsonl');
  for (const step of chosen) {
    const lacks = results.find(({ name, outcome }) => outcome !== 'ok' && step.needs?.includes(name) === true);
    results.push(lacks === undefined ? await runStep(step, figures) : notRun(step));
  }
  if (values.long) {
    printFigures(await readLines<Figure>(figures));
  }
  printTable(results);
  const sum = (of: 'passed' | 'failed' | 'skipped'): number => results.reduce((total, each) => total + each[of], 0);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed${skipped}\n`);
  return sum('failed') === 0 ? 0 : 1;
}

async function runStep(step: Step, figures: string): Promise<StepResult> {
  process.stdout.write(`\n=== ${step.name}\n`);
  const start = Date.now();
  const { code, counts } = await withTemporaryFolder(async (folder) => {
    const file = join(folder, 'counts.jsonl');
    const exitCode = await execute(await step.command(), {
      ...process.env,
      DOCS_AGENT_TEST_COUNTS: file,
      DOCS_AGENT_TEST_CHILD: '1',
      DOCS_AGENT_TEST_FIGURES: figures,
      DOCS_AGENT_TEST_LONG: values.long ? '1' : '0',
      DOCS_AGENT_TEST_SEED: String(seed),
    });
    return { code: exitCode, counts: await readCounts(file) };
  });
  // A check is no test: it adds nothing to what passed. A suite that died before its end counts as one failure.
  const ended = step.kind === 'check' || counts.reports > 0;
  const failed = code === 0 && ended ? counts.failed : Math.max(1, counts.failed);
  const { passed, skipped } = counts;
  const outcome = failed === 0 ? 'ok' : 'failed';
  return { name: step.name, outcome, passed, failed, skipped, seconds: (Date.now() - start) / 1000 };
}

function notRun({ name }: Step): StepResult {
  return { name, outcome: 'not run', passed: 0, failed: 0, skipped: 0, seconds: 0 };
}

/** Runs a program with our own terminal as its output; returns its exit code. Its input ends when we do. */
async function execute([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(file, args, { cwd: checkoutRoot, env, stdio: ['pipe', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** Adds up what the reporters wrote, one line a mocha run. */
async function readCounts(file: string): Promise<{ passed: number; failed: number; skipped: number; reports: number }> {
  const runs = await readLines<{ passed: number; failed: number; skipped: number }>(file);
  const sum = (of: 'passed' | 'failed' | 'skipped'): number => runs.reduce((total, run) => total + run[of], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), reports: runs.length };
}

/** What stands in a file of JSON lines; nothing when there is none. */
async function readLines<T>(file: string): Promise<T[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as T);
}

/** As Markdown, for the README. */
function printFigures(figures: readonly Figure[]): void {
  const rows = figures
    .toSorted((a, b) => a.promise.localeCompare(b.promise, 'en', { numeric: true }))
    .map(({ promise, what, figure }) => `| ${promise} | ${what} | ${figure} |`);
  const day = new Date().toISOString().slice(0, 10);
  process.stdout.write(
    `\n${['| promise | tried | found |', '| --- | --- | --- |', ...rows].join('\n')}\n\n${day}, seed ${seed}\n`,
  );
}

function printTable(results: readonly StepResult[]): void {
  const row = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index < 2 ? cell.padEnd(12) : cell.padStart(9))).join(' ');
  const rows = results.map(({ name, outcome, passed, failed, skipped, seconds }) =>
    row([name, outcome, ...[passed, failed, skipped].map(String), seconds.toFixed(1)]),
  );
  process.stdout.write(`\n${[row(['step', '', 'passed', 'failed', 'skipped', 'seconds']), ...rows].join('\n')}\n\n`);
}

function chosenSteps(names: readonly string[]): readonly Step[] {
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    throw new Error(`no such step: ${unknown.join(', ')}; there are ${steps.map(({ name }) => name).join(', ')}`);
  }
  return names.length === 0 ? steps : steps.filter(({ name }) => names.includes(name));
}

function tool(path: string, ...args: string[]): string[] {
  return [process.execPath, join(checkoutRoot, 'node_modules', path), ...args];
}

/** The product needs `node:sqlite`, which the Node that runs us may lack. */
async function mocha(files: string): Promise<string[]> {
  return [await ensureNode(), ...mochaArguments([files], { timeout: TEST_LIMIT, grep: values.grep })];
}

function script(path: string): string[] {
  const grep = values.grep === undefined ? [] : ['--grep', values.grep];
  return [process.execPath, '--import', 'tsx', join(checkoutRoot, path), ...grep];
}
