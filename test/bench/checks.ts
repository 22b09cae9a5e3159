import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { largeRepository } from '../support/checkedRepositories';
import { git as gitIn, temporaryFolder } from '../support/temporaryRepository';
import { packageExtension, run } from '../support/vscode/run';
import { checkoutRoot } from '../support/vscode/paths';
import type { Workbench } from '../support/vscode/workbench';
import { type Benchmark, type HostCost, inWindow, watch, withBrowser } from './benchWindow';

const SIZE = { pages: 5_000, namesPerPage: 20, commits: 5_000, codeFiles: 2_000 };
const SMALL = { pages: 1_000, namesPerPage: 20, commits: 1_000, codeFiles: 1_000 };

/** How long a new window is busy with other work, in milliseconds. */
const SETTLE_MS = 15_000;

/** How far a check has come when it is canceled, in milliseconds. */
const CANCEL_AFTER_MS = 1_500;

/** How long a check may take in a window, in milliseconds. */
const LIMIT_MS = 180_000;

interface WindowFigures {
  /** From the command to the first row of the Problems view. */
  first: number[];
  /** A whole check. */
  check: HostCost[];
  /** Nothing, for as long. */
  quiet: HostCost[];
  /** From the click on Cancel until the command and its processes have ended. */
  canceled: number[];
}

/** The folder of another build, to measure next to this one. */
const BEFORE = process.env['DOCS_AGENT_BENCH_BEFORE'];

/**
 * `service check` in seconds, each next to git's own reading of the same code and history, and the command in a window;
 * and next to that of another build if `DOCS_AGENT_BENCH_BEFORE` names its folder. Linux only.
 */
export async function measureChecks(rounds: number): Promise<Benchmark> {
  const folder = await largeRepository(SIZE, 1);
  const small = await largeRepository(SMALL, 1);
  const [cold, warm, first, grep, log]: [number[], number[], number[], number[], number[]] = [[], [], [], [], []];
  const before: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const cache = await temporaryFolder();
    cold.push((await check(folder, cache)).all);
    await commitChange(folder, round);
    warm.push((await check(folder, cache)).all);
    if (BEFORE !== undefined) {
      before.push((await check(folder, await temporaryFolder(), BEFORE)).all);
    }
    first.push((await check(small, await temporaryFolder())).first);
    grep.push(await git(folder, 'grep', '-c', '-w', '-F', '-e', 'handle1Step1Of0', 'HEAD'));
    log.push(await git(folder, 'log', '-p', '-U0', '--no-renames', '--output=/dev/null', 'HEAD'));
  }
  const seen = await inWindows(folder, small, rounds);
  return {
    title: 'Checking the documentation',
    rows: [
      {
        name: 'first check of 5,000 pages',
        unit: 's',
        measured: cold,
        baseline: { name: 'git log -p of the history', measured: log },
        maxMedian: 20,
      },
      ...(BEFORE === undefined
        ? []
        : [
            {
              name: 'the same',
              unit: 's' as const,
              measured: cold,
              baseline: { name: 'another build', measured: before },
              maxRatio: 0.5,
            },
          ]),
      {
        name: 'second check, after a commit',
        unit: 's',
        measured: warm,
        baseline: { name: 'git grep of one name', measured: grep },
        maxMedian: 2,
      },
      { name: 'first finding on 1,000 pages', unit: 's', measured: first, maxMedian: 2 },
      {
        name: 'the same, in the Problems view',
        unit: 's',
        measured: seen.first.map((time) => time / 1000),
        maxMedian: 2,
      },
      {
        name: 'longest task of the extension host during the first check',
        unit: 'ms',
        measured: seen.check.map(({ longest }) => longest),
        baseline: { name: 'the host at rest', measured: seen.quiet.map(({ longest }) => longest) },
        maxMedian: 50,
      },
      { name: 'Cancel, until all processes have ended', unit: 'ms', measured: seen.canceled, maxMedian: 100 },
    ],
    about:
      '5,000 pages with 20 names each, 2,000 files of code, 5,000 commits; from the start of the process to its end. ' +
      'The last three rows are from a window.',
  };
}

/** Changes a page and a file of code. */
async function commitChange(folder: string, round: number): Promise<void> {
  await writeFile(join(folder, 'changed.md'), `# Page\n\nCall \`changed${round}\`.\n`);
  await writeFile(join(folder, 'changed.ts'), `export function changed${round}(): void {}\n`);
  await gitIn(folder, 'add', '--all');
  await gitIn(folder, 'commit', '--quiet', '-m', 'Change');
}

async function check(
  folder: string,
  cache: string,
  build: string = checkoutRoot,
): Promise<{ first: number; all: number }> {
  const start = performance.now();
  const env = { ...process.env, XDG_CACHE_HOME: cache, HOME: cache, LOCALAPPDATA: cache };
  const args = [join(build, 'dist', 'service.mjs'), 'check', folder, '--json'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let first = Infinity;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('"type":"finding"')) {
      first = Math.min(first, performance.now() - start);
    }
  });
  await once(child, 'close');
  return { first: first / 1000, all: (performance.now() - start) / 1000 };
}

async function git(folder: string, ...args: string[]): Promise<number> {
  const start = performance.now();
  await run('git', args, { cwd: folder });
  return (performance.now() - start) / 1000;
}

/** Each check starts with an empty cache. */
async function inWindows(folder: string, small: string, rounds: number): Promise<WindowFigures> {
  const figures: WindowFigures = { first: [], check: [], quiet: [], canceled: [] };
  const vsix = join(await temporaryFolder(), 'product.vsix');
  await packageExtension(checkoutRoot, vsix);
  const cache = await temporaryFolder();
  const emptyCache = (): Promise<void> => rm(cache, { recursive: true, force: true });
  const options = { vsix: [vsix], env: { XDG_CACHE_HOME: cache }, settleMs: SETTLE_MS };
  await withBrowser(async (browser) => {
    await inWindow(browser, small, options, async (workbench) => {
      await workbench.host.command('workbench.actions.view.problems');
      await workbench.page.locator('.markers-panel').getByText('No problems').first().waitFor();
      for (let round = 0; round < rounds; round++) {
        await emptyCache();
        figures.first.push(await untilFirstProblem(workbench));
      }
    });
    await inWindow(browser, folder, options, async (workbench) => {
      const { host } = workbench;
      for (let round = 0; round < rounds; round++) {
        await emptyCache();
        const cost = await watch(host, () => host.command('docsAgent.checkDocumentation'));
        figures.check.push(cost);
        figures.quiet.push(await watch(host, () => delay(Math.min(cost.took, 10_000))));
        await emptyCache();
        figures.canceled.push(await cancel(workbench, folder));
      }
    });
  });
  return figures;
}

async function untilFirstProblem({ page, host }: Workbench): Promise<number> {
  const shown = page.evaluate<number>(FIRST_ROW);
  const start = Date.now();
  const checked = host.command('docsAgent.checkDocumentation');
  const took = (await shown) - start;
  await checked;
  await host.command('notifications.clearAll');
  return took;
}

/** In the page: resolves with the time of the frame that shows the first row after those of an earlier check. */
const FIRST_ROW = `new Promise((resolve) => {
  const isThere = () => document.querySelector('.markers-panel .monaco-list-row') !== null;
  const untilRow = () => requestAnimationFrame(isThere() ? () => resolve(Date.now()) : untilRow);
  const untilNone = () => requestAnimationFrame(isThere() ? untilNone : untilRow);
  untilNone();
})`;

async function cancel({ page, host }: Workbench, folder: string): Promise<number> {
  await host.command('notifications.clearAll');
  const checked = host.command('docsAgent.checkDocumentation');
  const toast = page.locator('.notifications-toasts .notification-toast', { hasText: 'Checking documentation' });
  const button = toast.locator('.monaco-button', { hasText: 'Cancel' });
  await button.waitFor({ timeout: LIMIT_MS });
  await delay(CANCEL_AFTER_MS);
  const clicked = page.evaluate<number>(CLICKED);
  await button.click();
  await checked;
  while ((await programs(folder)) > 0) {
    await delay(5);
  }
  return Date.now() - (await clicked);
}

/** In the page: resolves with the time of the next click. */
const CLICKED = `new Promise((resolve) => {
  document.addEventListener('click', () => resolve(Date.now()), { capture: true, once: true });
})`;

/** The number of processes that read this repository for a check. Linux only. */
async function programs(folder: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(`\0check\0${folder}\0`)).length;
}
