// `npm test`: every check and every test, in order, with one line of counts at the end. Names of steps as arguments run
// only these; `--grep TEXT` keeps the tests whose names hold it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureNode } from './support/vscode/install';
import { mochaArguments } from './support/vscode/mochaCommand';
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

const { values, positionals } = parseArgs({ allowPositionals: true, options: { grep: { type: 'string' } } });

const steps: readonly Step[] = [
  { name: 'lint', kind: 'check', command: async () => tool('eslint/bin/eslint.js', '.', '--max-warnings', '0') },
  { name: 'format', kind: 'check', command: async () => tool('prettier/bin/prettier.cjs', '--check', '.') },
  { name: 'types', kind: 'check', command: async () => tool('typescript/bin/tsc', '--noEmit', '-p', '.') },
  { name: 'build', kind: 'check', command: async () => [process.execPath, 'esbuild.mjs'] },
  { name: 'unit', kind: 'suite', command: async () => mocha('test/unit/**/*.test.ts') },
  { name: 'contract', kind: 'suite', needs: ['build'], command: async () => mocha('test/contract/**/*.test.ts') },
  { name: 'integration', kind: 'suite', needs: ['build'], command: async () => script('test/integration/runTest.ts') },
  { name: 'e2e', kind: 'suite', needs: ['build'], command: async () => script('test/e2e/runTest.ts') },
];

process.exitCode = await runSteps(chosenSteps(positionals));

/** Runs the steps, prints the table, and returns the exit code. */
async function runSteps(chosen: readonly Step[]): Promise<number> {
  const results: StepResult[] = [];
  for (const step of chosen) {
    const lacks = results.find(({ name, outcome }) => outcome !== 'ok' && step.needs?.includes(name) === true);
    results.push(lacks === undefined ? await runStep(step) : notRun(step));
  }
  printTable(results);
  const sum = (of: 'passed' | 'failed' | 'skipped'): number => results.reduce((total, each) => total + each[of], 0);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed${skipped}\n`);
  return sum('failed') === 0 ? 0 : 1;
}

async function runStep(step: Step): Promise<StepResult> {
  process.stdout.write(`\n=== ${step.name}\n`);
  const start = Date.now();
  const { code, counts } = await withTemporaryFolder(async (folder) => {
    const file = join(folder, 'counts.jsonl');
    const exitCode = await execute(await step.command(), {
      ...process.env,
      DOCS_AGENT_TEST_COUNTS: file,
      DOCS_AGENT_TEST_CHILD: '1',
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
  const text = await readFile(file, 'utf8').catch(() => '');
  await rm(file, { force: true });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.reduce(
    (total, line) => {
      const { passed, failed, skipped } = JSON.parse(line) as { passed: number; failed: number; skipped: number };
      return {
        passed: total.passed + passed,
        failed: total.failed + failed,
        skipped: total.skipped + skipped,
        reports: total.reports + 1,
      };
    },
    { passed: 0, failed: 0, skipped: 0, reports: 0 },
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
