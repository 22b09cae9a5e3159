import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeFinishedJobs } from '../support/finishedJobs';
import { launchBrowser } from '../support/vscode/browser';
import type { ExtensionHost } from '../support/vscode/extensionHosts';
import { VsCodeServer } from '../support/vscode/server';
import { Workbench } from '../support/vscode/workbench';
import { packageEmptyExtension } from './emptyExtension';
import { packageOnDemand } from './onDemandExtension';

const PRODUCT = 'docs-agent.docs-agent-jobs';
const JOBS_VIEW = 'docsAgent.jobs';

/**
 * Contributes the view from another extension, so that it exists and waits for its content before the product is
 * activated.
 */
const WITH_VIEW = {
  viewsContainers: { activitybar: [{ id: 'docsAgent', title: 'Docs Agent', icon: '$(book)' }] },
  views: { docsAgent: [{ id: JOBS_VIEW, name: 'Jobs' }] },
};

/** The number of jobs on disk. */
const TRACKED = 1000;

/** How long a new window is busy with other work, in milliseconds. */
const SETTLE = 2_000;

/** Milliseconds of each round. */
export interface StartupTimes {
  product: number[];
  empty: number[];
}

/**
 * Measures the time that VS Code spends on loading and activating the extension and one that does nothing. Both run in
 * the same host, in alternating order, in a fresh server each round. A second empty extension is activated before them,
 * because the first activation also pays for VS Code's own preparations. The extension starts with its jobs on disk and
 * its view open in the side bar, and fills the view before the other one is measured.
 */
export async function measureStartup(folder: string, rounds: number): Promise<StartupTimes> {
  const first = await packageEmptyExtension(folder, 'first', '*', WITH_VIEW);
  const empty = await packageEmptyExtension(folder, 'empty', 'onCommand:docs-agent-bench.never');
  const vsix = await packageOnDemand(folder);
  const workspace = join(folder, 'workspace');
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, 'readme.md'), '# Page\n');
  const browser = await launchBrowser();
  const seen: { product: number; empty: number }[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const server = await VsCodeServer.start({ vsix: [first.vsix, empty.vsix, vsix] });
      await writeFinishedJobs(join(server.globalStorage(PRODUCT), 'jobs'), TRACKED);
      const profile = await Workbench.newProfile(browser);
      try {
        const { host } = await Workbench.open(profile, server, { folder: workspace });
        await host.command(`${JOBS_VIEW}.focus`);
        await delay(SETTLE);
        await activationOf(host, first.id);
        if (round % 2 === 0) {
          seen.push({ empty: await activationOf(host, empty.id), product: await productOf(host) });
        } else {
          seen.push({ product: await productOf(host), empty: await activationOf(host, empty.id) });
        }
      } finally {
        await profile.close();
        await server.stop();
      }
    }
  } finally {
    await browser.close();
  }
  return { product: seen.map((each) => each.product), empty: seen.map((each) => each.empty) };
}

/** The activation time of the extension. Resolves once all jobs are listed. */
async function productOf(host: ExtensionHost): Promise<number> {
  const spent = await activationOf(host, PRODUCT);
  const listed = (): Promise<number | undefined> =>
    host.run((vscode, id) => (vscode.extensions.getExtension(id)!.exports as { jobs: unknown[] }).jobs.length, PRODUCT);
  while ((await listed()) !== TRACKED) {
    await delay(100);
  }
  await delay(SETTLE);
  return spent;
}

/**
 * Measures loading and activating through the host's own API, including everything that VS Code does around them. VS
 * Code's own performance marks leave that out and have only whole milliseconds, which is too coarse here.
 */
async function activationOf(host: ExtensionHost, id: string): Promise<number> {
  return host.run(async (vscode, wanted) => {
    const start = performance.now();
    await vscode.extensions.getExtension(wanted)?.activate();
    return performance.now() - start;
  }, id);
}
