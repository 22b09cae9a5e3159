// `npm test`: builds, runs every check and every test lane, and prints the counts of each at the end. Most tests wait
// for programs and windows, so several steps run at a time. Arguments choose steps: by name, or all in a folder, such
// as `component/git` and `component`; what they need runs first. `--grep TEXT` runs only the tests whose names contain
// TEXT; `--long` tests each promise at its full scale and writes docs/reliability.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Counts, failedFiles, readCounts, readLines, reliabilityPage, sumOf } from './support/counts';
import { type Figure, seed, TEST_LIMIT } from './support/scale';
import { ensureNode } from './support/vscode/install';
import { checkoutRoot } from './support/vscode/paths';
import { withTemporaryFolder } from './support/vscode/run';
import { hasDisplay } from './support/vscode/vscodeExecutable';

/** How many steps run at a time: they wait for programs and windows about as long as they compute. */
const AT_ONCE = Math.max(3, Math.min(6, 2 * availableParallelism()));

interface Step {
  name: string;
  /** A check passes or fails as a whole; a suite reports counts. */
  kind: 'check' | 'suite';
  /** The steps that must have passed before. */
  needs?: readonly string[];
  /** The VS Code release; the newest when absent. */
  editor?: 'oldest';
  /** Runs only when it is named. */
  isExtra?: true;
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
const built = { ...suite, needs: ['build'] } as const;
const oldest = { editor: 'oldest' } as const;
/** Packaging installs the VS Code server first, which runs the integration tests where there is no display. */
const needsServer = process.platform === 'linux' && !hasDisplay();

/** They wait most of the time, for minutes, so they begin first. */
const LONGEST = ['faults/local-service', 'component/team-service'];

/** In the order in which they begin. */
const STEPS: readonly Step[] = longestFirst([
  { name: 'build', ...check, command: () => [process.execPath, 'scripts/esbuild.mjs'] },
  ...endToEndSteps(),
  { name: 'integration', ...suite, needs: [needsServer ? 'package' : 'build'], command: integration },
  {
    name: 'oldest/integration',
    ...suite,
    ...oldest,
    needs: [needsServer ? 'oldest/package' : 'build'],
    command: integration,
  },
  { name: 'contract', ...built, command: () => mocha('test/contract/**/*.test.ts') },
  ...folderSteps('faults', built),
  ...folderSteps('component/local-service', suite),
  ...folderSteps('component', suite).filter(({ name }) => name !== 'component/local-service'),
  { name: 'unit', ...suite, command: () => mocha('test/unit/**/*.test.ts') },
  { name: 'lint', ...check, command: () => tool('oxlint/bin/oxlint', '--format', 'stylish') },
  { name: 'layers', ...check, command: () => tool('eslint/bin/eslint.js', '.') },
  { name: 'format', ...check, command: () => tool('oxfmt/bin/oxfmt', '--check') },
]);

process.exitCode = await withTemporaryFolder((folder) => runAll(chosenSteps(positionals), folder));

function longestFirst(steps: readonly Step[]): Step[] {
  const isLong = ({ name }: Step) => LONGEST.includes(name);
  return [...steps.filter(isLong), ...steps.filter((step) => !isLong(step))];
}

/** Each file in a process of its own, so that windows open side by side. They drive the VS Code server, which is for Linux. */
function endToEndSteps(): Step[] {
  if (process.platform !== 'linux') {
    return [];
  }
  const packing = { ...check, needs: ['build'], command: () => script('test/e2e/package.ts') };
  const files = readdirSync(join(checkoutRoot, 'test', 'e2e', 'suite'));
  const packed = { ...suite, needs: ['package'] };
  return [
    { name: 'package', ...packing },
    { name: 'oldest/package', ...packing, ...oldest },
    ...files.map((file) => ({
      name: `e2e/${file.replace('.test.ts', '')}`,
      ...packed,
      command: () => mocha(`test/e2e/suite/${file}`),
    })),
    {
      name: 'oldest/e2e',
      ...suite,
      ...oldest,
      needs: ['oldest/package'],
      command: () => mocha('test/e2e/oldest/*.test.ts'),
    },
    { name: 'pictures', ...packed, isExtra: true, command: () => mocha('test/e2e/pictures/readme.test.ts') },
  ];
}

/**
 * Runs each subfolder in a process of its own. Starting a program copies the page tables of the process that starts it:
 * in one process for all of them, which grows to a gigabyte, each of thousands of git commands takes 50 ms longer.
 */
function folderSteps(lane: string, more: Pick<Step, 'kind' | 'needs'>): Step[] {
  const entries = readdirSync(join(checkoutRoot, 'test', lane), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const groups = folders.map((folder) => ({ name: `${lane}/${folder}`, files: `test/${lane}/${folder}/**/*.test.ts` }));
  if (entries.some(({ name }) => name.endsWith('.test.ts'))) {
    groups.push({ name: `${lane}/*`, files: `test/${lane}/*.test.ts` });
  }
  return groups.map(({ name, files }) => ({ name, ...more, command: () => mocha(files) }));
}

/** Runs the steps, prints the table of counts, and returns the exit code. */
async function runAll(chosen: readonly Step[], folder: string): Promise<number> {
  const results = await runSteps(chosen, folder);
  if (values.long && positionals.length === 0 && values.grep === undefined) {
    await writeReliabilityPage(folder);
  }
  return printResults(chosen.flatMap((step) => results.find((result) => result.step === step) ?? []));
}

/** Runs the steps, several at a time. The output of each of several suites is printed when it ends. */
async function runSteps(steps: readonly Step[], folder: string): Promise<StepResult[]> {
  const waiting = new Set(steps);
  const isQuiet = steps.filter(({ kind }) => kind === 'suite').length > 1;
  const results: StepResult[] = [];
  const underWay = new Set<Promise<void>>();
  const outcomeOf = (name: string) => results.find(({ step }) => step.name === name)?.outcome;
  while (waiting.size > 0 || underWay.size > 0) {
    for (const step of waiting) {
      const needed = (step.needs ?? []).map(outcomeOf);
      if (needed.some((outcome) => outcome !== undefined && outcome !== 'ok')) {
        waiting.delete(step);
        const counts = { files: new Map(), ended: false };
        results.push({ step, outcome: 'not run', counts, seconds: 0 });
      } else if (underWay.size < AT_ONCE && needed.every((outcome) => outcome === 'ok')) {
        waiting.delete(step);
        const running: Promise<void> = runStep(step, folder, isQuiet).then((result) => {
          results.push(result);
          underWay.delete(running);
        });
        underWay.add(running);
      }
    }
    if (underWay.size > 0) {
      await Promise.race(underWay);
    }
  }
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

/** The named steps and those that they need; without names, all. */
function chosenSteps(names: readonly string[]): readonly Step[] {
  const isChosenBy = (chosen: string) => (step: Step) => step.name === chosen || step.name.startsWith(`${chosen}/`);
  const unknown = names.filter((name) => !STEPS.some(isChosenBy(name)));
  if (unknown.length > 0) {
    throw new Error(`No such step: ${unknown.join(', ')}. There are ${STEPS.map(({ name }) => name).join(', ')}.`);
  }
  const chosen = new Set<string>();
  const add = (step: Step | undefined): void => {
    chosen.add(step?.name ?? '');
    step?.needs?.forEach((name) => add(STEPS.find((each) => each.name === name)));
  };
  STEPS.filter((step) =>
    names.length === 0 ? step.isExtra !== true : names.some((name) => isChosenBy(name)(step)),
  ).forEach(add);
  return STEPS.filter(({ name }) => chosen.has(name));
}

function tool(path: string, ...args: string[]): string[] {
  return [process.execPath, join(checkoutRoot, 'node_modules', path), ...args];
}

/** The product needs `node:sqlite`, which the current Node.js may lack. Takes a glob relative to the checkout. */
async function mocha(files: string): Promise<string[]> {
  return [
    await ensureNode(),
    // Mocha swallows a rejection that nothing handles, and passes.
    '--unhandled-rejections=strict',
    ...['--import', 'tsx'],
    ...['--import', pathToFileURL(inSupport('vscode', 'exitWithParent.mjs')).href],
    join(checkoutRoot, 'node_modules', 'mocha', 'bin', 'mocha.js'),
    // The configuration file would start one more process.
    '--no-config',
    ...['--require', inSupport('fakeEditor.ts')],
    ...['--reporter', inSupport('vscode', 'countingReporter.cjs')],
    ...['--timeout', String(TEST_LIMIT)],
    ...(values.grep === undefined ? [] : ['--grep', values.grep]),
    files,
  ];
}

function inSupport(...names: string[]): string {
  return join(checkoutRoot, 'test', 'support', ...names);
}

function integration(): string[] {
  return script('test/integration/runTest.ts');
}

function script(path: string, ...files: string[]): string[] {
  const grep = values.grep === undefined ? [] : ['--grep', values.grep];
  return [process.execPath, '--import', 'tsx', join(checkoutRoot, path), ...grep, ...files];
}
