import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { temporaryFolder } from '../../support/temporaryRepository';
import type { ExtensionHost } from '../../support/vscode/extensionHosts';
import { VsCodeServer } from '../../support/vscode/server';
import { Workbench } from '../../support/vscode/workbench';

/** How long a new window is busy with other work, in milliseconds. */
const SETTLE_MS = 15_000;

/** How far a check has come when it is canceled, in milliseconds. */
const CANCEL_AFTER_MS = 1_500;

/** How long a check may take in a window, in milliseconds. */
const LIMIT_MS = 180_000;

/** The editor's repeated search for listening ports blocks the host for longer than what is measured here. */
const QUIET = { 'remote.autoForwardPortsSource': 'output' };

const TITLE = 'Checking documentation';

/** Times in milliseconds. */
export interface WindowFigures {
  /** The longest task of the extension host during a whole check. */
  longest: number[];
  /** The same while it does nothing, for as long. */
  quiet: number[];
  /** From the click on Cancel until the command and its processes have ended. */
  canceled: number[];
}

/** Checks a repository in a real window, with an empty cache in each round, and cancels a second check. */
export async function measureCheckWindow(
  folder: string,
  given: { browser: Browser; vsix: string; rounds: number },
): Promise<WindowFigures> {
  const figures: WindowFigures = { longest: [], quiet: [], canceled: [] };
  await inWindow(folder, given, async (workbench, emptyCache) => {
    for (let round = 0; round < given.rounds; round++) {
      await emptyCache();
      const { longest, took } = await watch(workbench.host, async () => {
        await workbench.host.command('docsAgent.checkDocumentation');
      });
      figures.longest.push(longest);
      figures.quiet.push((await watch(workbench.host, () => delay(Math.min(took, 10_000)))).longest);
      await emptyCache();
      figures.canceled.push(await cancel(workbench, folder));
    }
  });
  return figures;
}

/** Returns the time in milliseconds from the command to the first row of the Problems view, for each round. */
export async function measureFirstProblem(
  folder: string,
  given: { browser: Browser; vsix: string; rounds: number },
): Promise<number[]> {
  const first: number[] = [];
  await inWindow(folder, given, async (workbench, emptyCache) => {
    const { page, host } = workbench;
    await host.command('workbench.actions.view.problems');
    await page.locator('.markers-panel').getByText('No problems').first().waitFor();
    for (let round = 0; round < given.rounds; round++) {
      await emptyCache();
      const shown = page.evaluate<number>(FIRST_ROW);
      const start = Date.now();
      const checked = host.command('docsAgent.checkDocumentation');
      first.push((await shown) - start);
      await checked;
      await host.command('notifications.clearAll');
    }
  });
  return first;
}

/** In the page: resolves with the time of the frame that shows the first row after those of an earlier check. */
const FIRST_ROW = `new Promise((resolve) => {
  const isThere = () => document.querySelector('.markers-panel .monaco-list-row') !== null;
  const untilRow = () => requestAnimationFrame(isThere() ? () => resolve(Date.now()) : untilRow);
  const untilNone = () => requestAnimationFrame(isThere() ? untilNone : untilRow);
  untilNone();
})`;

async function inWindow(
  folder: string,
  { browser, vsix }: { browser: Browser; vsix: string },
  work: (workbench: Workbench, emptyCache: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const cache = await temporaryFolder();
  const server = await VsCodeServer.start({ vsix: [vsix], settings: QUIET, env: { XDG_CACHE_HOME: cache } });
  try {
    const profile = await Workbench.newProfile(browser);
    const workbench = await Workbench.open(profile, server, { folder });
    await workbench.statusBarItem('main').waitFor();
    await delay(SETTLE_MS);
    await work(workbench, () => rm(cache, { recursive: true, force: true }));
    await profile.close();
  } finally {
    await server.stop();
  }
}

/** Returns how long the host's thread was blocked at most while something ran. */
async function watch(host: ExtensionHost, work: () => Promise<unknown>): Promise<{ longest: number; took: number }> {
  await host.run(() => {
    // One sample per millisecond: any longer delay is a task that blocked the thread.
    const delays = process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution: 1 });
    delays.enable();
    Object.assign(globalThis, { docsAgentDelays: delays });
  });
  const start = performance.now();
  await work();
  const took = performance.now() - start;
  const longest = await host.run(() => {
    const { docsAgentDelays: delays } = globalThis as unknown as {
      docsAgentDelays: import('node:perf_hooks').IntervalHistogram;
    };
    delays.disable();
    return delays.max / 1e6;
  });
  return { longest, took };
}

async function cancel(workbench: Workbench, folder: string): Promise<number> {
  const { page, host } = workbench;
  await host.command('notifications.clearAll');
  const checked = host.command('docsAgent.checkDocumentation');
  const toast = page.locator('.notifications-toasts .notification-toast', { hasText: TITLE });
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
