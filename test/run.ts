// `npm test`: every check and every test, with one line of counts at the end. What drives windows runs beside the rest,
// because it mostly waits. What failed is tried once more at the end, a file at a time and with nothing beside it: a test
// that passes then was disturbed by the machine, is named, and counts as passed. Names of steps as arguments run only
// these; `--grep TEXT` keeps the tests whose names hold it; `--long` tries each promise as often as its figure says and
// prints what was measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Counts, failedFiles, readCounts, readLines, sumOf } from './support/counts';
import { type Figure, seed } from './support/scale';
import { ensureNode } from './support/vscode/install';
import { mochaArguments } from './support/vscode/mochaCommand';
import { checkoutRoot } from './support/vscode/paths';
import { withTemporaryFolder } from './support/vscode/temporaryFolder';

/** The longest that one unit or contract test may take unless it says otherwise, in milliseconds. */
const TEST_LIMIT = 60_000;

/** With more files than this that fail it is no disturbance. */
const MOST_TRIED_AGAIN = 6;

interface Step {
  name: string;
  /** A check passes or fails as a whole; a suite reports counts. */
  kind: 'check' | 'suite';
  /** What runs beside the rest. */
  beside?: true;
  /** The release of the editor; the newest when absent. */
  editor?: 'oldest';
  /** Steps without which this one has no meaning. */
  needs?: readonly string[];
  /** Program and arguments; with files only the tests in these. */
  command: (files?: readonly string[]) => Promise<string[]>;
}

interface StepResult {
  step: Step;
  outcome: 'ok' | 'failed' | 'not run';
  counts: Counts;
  seconds: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { grep: { type: 'string' }, long: { type: 'boolean', default: false } },
});

const steps: readonly Step[] = [
  { name: 'build', kind: 'check', command: async () => [process.execPath, 'scripts/esbuild.mjs'] },
  { name: 'lint', kind: 'check', command: async () => tool('eslint/bin/eslint.js', '.', '--max-warnings', '0') },
  { name: 'format', kind: 'check', command: async () => tool('prettier/bin/prettier.cjs', '--check', '.') },
  { name: 'types', kind: 'check', command: async () => tool('typescript/bin/tsc', '--noEmit', '-p', '.') },
  {
    name: 'page types',
    kind: 'check',
    command: async () => tool('typescript/bin/tsc', '--noEmit', '-p', 'src/service/review/page'),
  },
  {
    name: 'job page types',
    kind: 'check',
    command: async () => tool('typescript/bin/tsc', '--noEmit', '-p', 'src/extension/views/jobPage/page'),
  },
  { name: 'unit', kind: 'suite', command: mocha('test/unit/**/*.test.ts') },
  { name: 'contract', kind: 'suite', needs: ['build'], command: mocha('test/contract/**/*.test.ts') },
  { name: 'faults', kind: 'suite', needs: ['build'], command: mocha('test/faults/**/*.test.ts') },
  {
    name: 'integration',
    kind: 'suite',
    beside: true,
    needs: ['build'],
    command: async (files = []) => script('test/integration/runTest.ts', ...files),
  },
  {
    name: 'e2e',
    kind: 'suite',
    beside: true,
    needs: ['build'],
    command: async (files = []) => script('test/e2e/runTest.ts', ...files),
  },
  {
    name: 'oldest',
    kind: 'suite',
    beside: true,
    editor: 'oldest',
    needs: ['build'],
    command: async (files = []) => script('test/integration/runTest.ts', ...files),
  },
  {
    name: 'oldest e2e',
    kind: 'suite',
    beside: true,
    editor: 'oldest',
    needs: ['build'],
    command: async (files = ['test/e2e/oldest/*.test.ts']) => script('test/e2e/runTest.ts', ...files),
  },
];

process.exitCode = await withTemporaryFolder((folder) => runAll(chosenSteps(positionals), folder));

/** Runs the steps, prints the tables, and returns the exit code. */
async function runAll(chosen: readonly Step[], folder: string): Promise<number> {
  const [build, rest] = [chosen.filter(({ name }) => name === 'build'), chosen.filter(({ name }) => name !== 'build')];
  const built = await runLane(build, [], folder);
  const log = join(folder, 'beside.log');
  const isBuilt = built.every(({ outcome }) => outcome === 'ok');
  const lanes = [rest.filter(({ beside }) => !beside), rest.filter(({ beside }) => beside)] as const;
  // Alone, what runs beside the rest needs no file of its own.
  const output = lanes[0].length === 0 ? undefined : log;
  const [main, beside] = await Promise.all([
    runLane(lanes[0], built, folder),
    runLane(lanes[1], built, folder, output),
  ]);
  process.stdout.write(await readFile(log, 'utf8').catch(() => ''));
  const results = [...built, ...main, ...beside];
  const disturbed = isBuilt ? await tryAgain(results, folder) : [];
  if (values.long) {
    printFigures(await readLines<Figure>(join(folder, 'figures.jsonl')));
  }
  return printResults(results, disturbed);
}

/** One step after the other; the output goes to a file where one is named. */
async function runLane(
  lane: readonly Step[],
  before: readonly StepResult[],
  folder: string,
  output?: string,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const step of lane) {
    const known = [...before, ...results];
    const lacks = known.find((each) => each.outcome !== 'ok' && step.needs?.includes(each.step.name) === true);
    results.push(lacks === undefined ? await runStep(step, folder, { output }) : notRun(step));
  }
  return results;
}

interface StepOptions {
  output?: string | undefined;
  files?: readonly string[];
}

async function runStep(step: Step, folder: string, { output, files }: StepOptions = {}): Promise<StepResult> {
  const start = Date.now();
  const file = output === undefined ? undefined : await open(output, 'a');
  const title = `\n=== ${step.name}${files === undefined ? '' : ' (once more)'}\n`;
  await (file === undefined ? process.stdout.write(title) : file.write(title));
  const countsFile = join(folder, `counts-${step.name}${files === undefined ? '' : '-again'}.jsonl`);
  const environment = {
    ...process.env,
    DOCS_AGENT_TEST_COUNTS: countsFile,
    DOCS_AGENT_TEST_CHILD: '1',
    DOCS_AGENT_TEST_FIGURES: join(folder, 'figures.jsonl'),
    DOCS_AGENT_TEST_LONG: values.long ? '1' : '0',
    DOCS_AGENT_TEST_SEED: String(seed),
    ...(step.editor === undefined ? {} : { DOCS_AGENT_TEST_VSCODE: step.editor }),
  };
  const code = await execute(await step.command(files), environment, file?.fd ?? 'inherit');
  await file?.close();
  const counts = await readCounts(countsFile);
  // A check is no test: it adds nothing to what passed.
  const isWell = code === 0 && (step.kind === 'check' || counts.ended) && failedFiles(counts).length === 0;
  return { step, outcome: isWell ? 'ok' : 'failed', counts, seconds: (Date.now() - start) / 1000 };
}

/** Corrects the results by what passes when it is tried alone; returns the names of these tests. */
async function tryAgain(results: readonly StepResult[], folder: string): Promise<string[]> {
  const disturbed: string[] = [];
  for (const result of results.filter(({ step, outcome }) => step.kind === 'suite' && outcome === 'failed')) {
    const failed = failedFiles(result.counts);
    if (failed.length > MOST_TRIED_AGAIN) {
      continue;
    }
    const again = await runStep(result.step, folder, { files: failed.map(({ file }) => file) });
    result.seconds += again.seconds;
    if (again.outcome === 'ok' && sumOf(again.counts, 'passed') > 0) {
      disturbed.push(
        ...(failed.length === 0
          ? [`${result.step.name}, which ended early`]
          : failed.flatMap(({ failures }) => failures)),
      );
      result.outcome = 'ok';
      again.counts.files.forEach((counts, file) => result.counts.files.set(file, counts));
    }
  }
  return disturbed;
}

function notRun(step: Step): StepResult {
  return { step, outcome: 'not run', counts: { files: new Map(), ended: false }, seconds: 0 };
}

/** Runs a program; returns its exit code. Its input ends when we do. */
async function execute(
  [file = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  output: number | 'inherit',
): Promise<number> {
  const child = spawn(file, args, { cwd: checkoutRoot, env, stdio: ['pipe', output, output] });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
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

/** Prints what became of each step; returns the exit code. */
function printResults(results: readonly StepResult[], disturbed: readonly string[]): number {
  const row = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index < 2 ? cell.padEnd(12) : cell.padStart(9))).join(' ');
  // A suite that died before its end counts as one failure, and so does a check.
  const failedIn = ({ outcome, counts }: StepResult): number =>
    outcome === 'failed' ? Math.max(1, sumOf(counts, 'failed')) : 0;
  const rows = results.map((result) => {
    const numbers = [sumOf(result.counts, 'passed'), failedIn(result), sumOf(result.counts, 'skipped')].map(String);
    return row([result.step.name, result.outcome, ...numbers, result.seconds.toFixed(1)]);
  });
  process.stdout.write(`\n${[row(['step', '', 'passed', 'failed', 'skipped', 'seconds']), ...rows].join('\n')}\n\n`);
  const total = (of: 'passed' | 'skipped'): number => results.reduce((sum, { counts }) => sum + sumOf(counts, of), 0);
  const failed = results.reduce((sum, result) => sum + failedIn(result), 0);
  if (disturbed.length > 0) {
    process.stdout.write(`Passed at the second try only:\n${disturbed.map((name) => `  ${name}\n`).join('')}`);
  }
  const skipped = total('skipped') > 0 ? `, ${total('skipped')} skipped` : '';
  process.stdout.write(`${total('passed')} passed, ${failed} failed${skipped}\n`);
  return results.every(({ outcome }) => outcome === 'ok') ? 0 : 1;
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
function mocha(all: string): Step['command'] {
  return async (files = []) => {
    const chosen = files.length === 0 ? [all] : files;
    return [await ensureNode(), ...mochaArguments(chosen, { timeout: TEST_LIMIT, grep: values.grep })];
  };
}

function script(path: string, ...files: string[]): string[] {
  const grep = values.grep === undefined ? [] : ['--grep', values.grep];
  return [process.execPath, '--import', 'tsx', join(checkoutRoot, path), ...grep, ...files];
}
