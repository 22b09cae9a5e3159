// `npm test`: builds, runs every check and every test lane, and prints the counts of each at the end. Most tests wait
// for programs and windows, so several steps run at a time. Arguments choose steps: by name, or all in a folder, such
// as `component/git` and `component`. `--grep TEXT` runs only the tests whose names contain TEXT; `--long` tests each
// promise at its full scale and writes docs/reliability.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Counts, failedFiles, readCounts, readLines, sumOf } from './support/counts';
import { reliabilityPage } from './support/reliabilityPage';
import { type Figure, seed } from './support/scale';
import { ensureNode } from './support/vscode/install';
import { mochaArguments } from './support/vscode/mochaCommand';
import { checkoutRoot } from './support/vscode/paths';
import { withTemporaryFolder } from './support/vscode/temporaryFolder';

/** How many steps run at a time. */
const AT_ONCE = 3;

interface Step {
  name: string;
  /** A check passes or fails as a whole; a suite reports counts. */
  kind: 'check' | 'suite';
  /** Steps with windows run one after the other, because they share `out/`. */
  hasWindows?: true;
  /** The VS Code release; the newest when absent. */
  editor?: 'oldest';
  needsBuild?: true;
  /** Program and arguments. */
  command: () => string[] | Promise<string[]>;
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

const check = { kind: 'check' } as const;
const suite = { kind: 'suite' } as const;
const windows = { ...suite, hasWindows: true, needsBuild: true } as const;

/** In the order in which they begin: what takes longest comes first, and the windows, which wait for each other. */
const STEPS: readonly Step[] = [
  { name: 'build', ...check, command: () => [process.execPath, 'scripts/esbuild.mjs'] },
  { name: 'e2e', ...windows, command: () => script('test/e2e/runTest.ts') },
  { name: 'integration', ...windows, command: () => script('test/integration/runTest.ts') },
  {
    name: 'oldest e2e',
    ...windows,
    editor: 'oldest',
    command: () => script('test/e2e/runTest.ts', 'test/e2e/oldest/*.test.ts'),
  },
  { name: 'oldest', ...windows, editor: 'oldest', command: () => script('test/integration/runTest.ts') },
  ...folderSteps('faults', { needsBuild: true }),
  ...folderSteps('component/local-service'),
  ...folderSteps('component').filter(({ name }) => name !== 'component/local-service'),
  { name: 'contract', ...suite, needsBuild: true, command: () => mocha('test/contract/**/*.test.ts') },
  { name: 'unit', ...suite, command: () => mocha('test/unit/**/*.test.ts') },
  { name: 'lint', ...check, command: () => tool('oxlint/bin/oxlint', '--format', 'stylish') },
  { name: 'layers', ...check, command: () => tool('eslint/bin/eslint.js', '.') },
  { name: 'format', ...check, command: () => tool('oxfmt/bin/oxfmt', '--check') },
];

process.exitCode = await withTemporaryFolder((folder) => runAll(chosenSteps(positionals), folder));

/**
 * Runs each subfolder in a process of its own. Starting a program copies the page tables of the process that starts it:
 * in one process for all of them, which grows to a gigabyte, each of thousands of git commands takes 50 ms longer.
 */
function folderSteps(lane: string, more: Pick<Step, 'needsBuild'> = {}): Step[] {
  const entries = readdirSync(join(checkoutRoot, 'test', lane), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const groups = folders.map((folder) => ({ name: `${lane}/${folder}`, files: `test/${lane}/${folder}/**/*.test.ts` }));
  if (entries.some(({ name }) => name.endsWith('.test.ts'))) {
    groups.push({ name: `${lane}/*`, files: `test/${lane}/*.test.ts` });
  }
  return groups.map(({ name, files }) => ({ name, ...suite, ...more, command: () => mocha(files) }));
}

/** Runs the steps, prints the table of counts, and returns the exit code. */
async function runAll(chosen: readonly Step[], folder: string): Promise<number> {
  const build = chosen.filter(({ name }) => name === 'build');
  const done = await runSteps(build, folder);
  const isBuilt = done.every(({ outcome }) => outcome === 'ok');
  const others = chosen.filter((step) => !build.includes(step) && (isBuilt || step.needsBuild !== true));
  done.push(...(await runSteps(others, folder)));
  if (values.long && positionals.length === 0 && values.grep === undefined) {
    await writeReliabilityPage(folder);
  }
  const none = { counts: { files: new Map(), ended: false }, seconds: 0 };
  return printResults(
    chosen.map((step) => done.find((result) => result.step === step) ?? { step, outcome: 'not run', ...none }),
  );
}

/** Runs the steps, several at a time. The output of a step that does not run alone is printed when it ends. */
async function runSteps(steps: readonly Step[], folder: string): Promise<StepResult[]> {
  const waiting = [...steps];
  const results: StepResult[] = [];
  let isWindowOpen = false;
  const work = async (): Promise<void> => {
    for (;;) {
      const next = waiting.findIndex(({ hasWindows }) => hasWindows !== true || !isWindowOpen);
      const [step] = next === -1 ? [] : waiting.splice(next, 1);
      if (step === undefined) {
        return;
      }
      isWindowOpen ||= step.hasWindows === true;
      results.push(await runStep(step, folder, steps.length > 1));
      isWindowOpen &&= step.hasWindows !== true;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

async function runStep(step: Step, folder: string, isQuiet: boolean): Promise<StepResult> {
  const start = Date.now();
  const fileName = step.name.replaceAll(/\W/g, '-');
  const logFile = join(folder, `log-${fileName}.txt`);
  const log = isQuiet ? await open(logFile, 'w') : undefined;
  process.stdout.write(isQuiet ? `${step.name} began\n` : `\n=== ${step.name}\n`);
  const countsFile = join(folder, `counts-${fileName}.jsonl`);
  const environment = {
    ...process.env,
    DOCS_AGENT_TEST_COUNTS: countsFile,
    DOCS_AGENT_TEST_CHILD: '1',
    DOCS_AGENT_TEST_FIGURES: join(folder, 'figures.jsonl'),
    DOCS_AGENT_TEST_LONG: values.long ? '1' : '0',
    DOCS_AGENT_TEST_SEED: String(seed),
    ...(step.editor === undefined ? {} : { DOCS_AGENT_TEST_VSCODE: step.editor }),
  };
  const code = await execute(await step.command(), environment, log?.fd ?? 'inherit');
  if (log !== undefined) {
    await log.close();
    process.stdout.write(`\n=== ${step.name}\n${await readFile(logFile, 'utf8')}`);
  }
  const counts = await readCounts(countsFile);
  const isOk = code === 0 && (step.kind === 'check' || counts.ended) && failedFiles(counts).length === 0;
  return { step, outcome: isOk ? 'ok' : 'failed', counts, seconds: (Date.now() - start) / 1000 };
}

/** Runs a program; returns its exit code. Its standard input ends when this process does. */
async function execute(
  [file = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  output: number | 'inherit',
): Promise<number> {
  const child = spawn(file, args, { cwd: checkoutRoot, env, stdio: ['pipe', output, output] });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

async function writeReliabilityPage(folder: string): Promise<void> {
  const figures = await readLines<Figure>(join(folder, 'figures.jsonl'));
  const path = join(checkoutRoot, 'docs', 'reliability.md');
  const page = reliabilityPage(figures, new Date().toISOString().slice(0, 10), seed);
  await writeFile(path, page);
  await execute(tool('oxfmt/bin/oxfmt', path), process.env, 'inherit');
}

/** Prints the result of each step; returns the exit code. */
function printResults(results: readonly StepResult[]): number {
  const row = ([name = '', outcome = '', ...cells]: readonly string[]): string =>
    [name.padEnd(32), outcome.padEnd(8), ...cells.map((cell) => cell.padStart(8))].join(' ');
  // A failed check counts as one failure, and so does a suite that crashed before its end.
  const failedIn = ({ outcome, counts }: StepResult): number =>
    outcome === 'failed' ? Math.max(1, sumOf(counts, 'failed')) : 0;
  const total = { passed: 0, failed: 0, skipped: 0 };
  const lines = [row(['step', '', 'passed', 'failed', 'skipped', 'seconds'])];
  for (const result of results) {
    const [passed, skipped] = [sumOf(result.counts, 'passed'), sumOf(result.counts, 'skipped')];
    const failed = failedIn(result);
    lines.push(
      row([result.step.name, result.outcome, ...[passed, failed, skipped].map(String), result.seconds.toFixed(1)]),
    );
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  // Printed last, because often only the end of a long log is kept or read.
  const failures = results.flatMap(({ step, counts }) =>
    failedFiles(counts).flatMap((file) => file.failures.map((failure) => `\n${step.name}: ${failure}\n`)),
  );
  process.stdout.write(
    `\n${lines.join('\n')}\n\n${total.passed} passed, ${total.failed} failed${skipped}, seed ${seed}\n${failures.join('')}`,
  );
  return results.every(({ outcome }) => outcome === 'ok') ? 0 : 1;
}

function chosenSteps(names: readonly string[]): readonly Step[] {
  const isChosenBy = (chosen: string) => (step: Step) => step.name === chosen || step.name.startsWith(`${chosen}/`);
  const unknown = names.filter((name) => !STEPS.some(isChosenBy(name)));
  if (unknown.length > 0) {
    throw new Error(`No such step: ${unknown.join(', ')}. There are ${STEPS.map(({ name }) => name).join(', ')}.`);
  }
  return names.length === 0 ? STEPS : STEPS.filter((step) => names.some((name) => isChosenBy(name)(step)));
}

function tool(path: string, ...args: string[]): string[] {
  return [process.execPath, join(checkoutRoot, 'node_modules', path), ...args];
}

/** The product needs `node:sqlite`, which the current Node.js may lack. */
async function mocha(files: string): Promise<string[]> {
  return [await ensureNode(), ...mochaArguments([files], { grep: values.grep })];
}

function script(path: string, ...files: string[]): string[] {
  const grep = values.grep === undefined ? [] : ['--grep', values.grep];
  return [process.execPath, '--import', 'tsx', join(checkoutRoot, path), ...grep, ...files];
}
