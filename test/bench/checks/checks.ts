import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { largeRepository } from '../../support/largeRepository';
import { temporaryFolder } from '../../support/temporaryRepository';
import { launchBrowser } from '../../support/vscode/browser';
import { packageExtension } from '../../support/vscode/packageExtension';
import { checkoutRoot } from '../../support/vscode/paths';
import { withTemporaryFolder } from '../../support/vscode/temporaryFolder';
import { type Figure, figure } from '../figures';
import { measureCheckWindow, measureFirstProblem, type WindowFigures } from './checkWindow';

const SIZE = { pages: 5_000, namesPerPage: 20, commits: 5_000, codeFiles: 2_000 };
const SMALL = { pages: 1_000, namesPerPage: 20, commits: 1_000, codeFiles: 1_000 };

/** The longest task of the extension host, and how long Cancel may take, in milliseconds. */
const MAX_TASK_MS = 50;
const MAX_CANCEL_MS = 100;

/**
 * Times `service check` in seconds, each next to git's own reading of the same code and history, and the command in a
 * real window. Linux only.
 */
export async function measureChecks(rounds: number): Promise<{ figures: Figure[]; about: string }> {
  const folder = await largeRepository(SIZE, 1);
  const small = await largeRepository(SMALL, 1);
  const [cold, warm, first, grep, log]: number[][] = [[], [], [], [], []];
  for (let round = 0; round < Math.min(rounds, 5); round++) {
    const cache = await temporaryFolder();
    cold?.push((await check(folder, cache)).all);
    warm?.push((await check(folder, cache)).all);
    first?.push((await check(small, await temporaryFolder())).first);
    grep?.push(await git(folder, 'grep', '-c', '-w', '-F', '-e', 'handle1Step1Of0', 'HEAD'));
    log?.push(await git(folder, 'log', '-p', '-U0', '--no-renames', 'HEAD'));
  }
  const { seen, first: shown } = await inWindows(folder, small, Math.min(rounds, 5));
  const history = { name: 'git log -p of the history', measured: log ?? [] };
  const code = { name: 'git grep of one name', measured: grep ?? [] };
  return {
    figures: [
      figure({
        name: 'first check of 5,000 pages',
        unit: 's',
        ours: cold ?? [],
        peer: history,
        wanted: { of: 'median', most: 20 },
      }),
      figure({ name: 'second check', unit: 's', ours: warm ?? [], peer: code, wanted: { of: 'median', most: 2 } }),
      figure({
        name: 'first finding on 1,000 pages',
        unit: 's',
        ours: first ?? [],
        wanted: { of: 'median', most: 2 },
      }),
      figure({
        name: 'the same, on the screen',
        unit: 's',
        ours: shown.map((time) => time / 1000),
        wanted: { of: 'median', most: 2 },
      }),
      figure({
        name: 'longest task of the extension host during the first check',
        unit: 'ms',
        ours: seen.longest,
        peer: { name: 'the host at rest', measured: seen.quiet },
        wanted: { of: 'median', most: MAX_TASK_MS },
      }),
      figure({
        name: 'Cancel, until all processes have ended',
        unit: 'ms',
        ours: seen.canceled,
        wanted: { of: 'median', most: MAX_CANCEL_MS },
      }),
    ],
    about:
      '5,000 pages with 20 names each, 2,000 files of code, 5,000 commits; from the start of the process to its end. ' +
      'The last three rows are from a window; the first of them is from the command to a row in the Problems view.',
  };
}

async function inWindows(
  folder: string,
  small: string,
  rounds: number,
): Promise<{ seen: WindowFigures; first: number[] }> {
  return withTemporaryFolder(async (place) => {
    const vsix = join(place, 'product.vsix');
    await packageExtension(checkoutRoot, vsix);
    const browser = await launchBrowser();
    try {
      const given = { browser, vsix, rounds };
      return {
        first: await measureFirstProblem(small, given),
        seen: await measureCheckWindow(folder, given),
      };
    } finally {
      await browser.close();
    }
  });
}

async function check(folder: string, cache: string): Promise<{ first: number; all: number }> {
  const start = performance.now();
  const env = { ...process.env, XDG_CACHE_HOME: cache, HOME: cache, LOCALAPPDATA: cache };
  const args = [join(checkoutRoot, 'dist', 'service.mjs'), 'check', folder, '--json'];
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
  await promisify(execFile)('git', args, { cwd: folder, maxBuffer: 1024 ** 3 });
  return (performance.now() - start) / 1000;
}
