import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { launchBrowser } from '../support/vscode/browser';
import type { ExtensionHost } from '../support/vscode/extensionHosts';
import { VsCodeServer } from '../support/vscode/server';
import { Workbench } from '../support/vscode/workbench';
import { packageEmptyExtension } from './emptyExtension';
import { packageOnDemand } from './onDemandExtension';

const PRODUCT = 'docs-agent.docs-agent-jobs';

/** How long a window that came up still has other things to do, in milliseconds. */
const SETTLE = 2_000;

/** Milliseconds, as VS Code itself marks them. */
export interface Activation {
  load: number;
  activate: number;
}

/** One extension over all rounds. */
export interface StartupFigures {
  best: Activation;
  median: Activation;
}

export interface StartupResult {
  rounds: number;
  product: StartupFigures;
  empty: StartupFigures;
}

/**
 * Measures what VS Code spends on loading and activating the extension and one that does nothing: both in the same host,
 * one after the other in turns, in a fresh server each round. A second empty extension comes before them, because
 * whichever is first also pays for VS Code's own preparations.
 */
export async function measureStartup(folder: string, rounds: number): Promise<StartupResult> {
  const first = await packageEmptyExtension(folder, 'first', '*');
  const empty = await packageEmptyExtension(folder, 'empty', 'onCommand:docs-agent-bench.never');
  const vsix = await packageOnDemand(folder);
  const workspace = join(folder, 'workspace');
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, 'readme.md'), '# Page\n');
  const browser = await launchBrowser();
  const seen: { product: Activation; empty: Activation }[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const server = await VsCodeServer.start({ vsix: [first.vsix, empty.vsix, vsix] });
      const profile = await Workbench.newProfile(browser);
      try {
        const { host } = await Workbench.open(profile, server, { folder: workspace });
        await delay(SETTLE);
        await activationOf(host, first.id);
        if (round % 2 === 0) {
          seen.push({ empty: await activationOf(host, empty.id), product: await activationOf(host, PRODUCT) });
        } else {
          seen.push({ product: await activationOf(host, PRODUCT), empty: await activationOf(host, empty.id) });
        }
      } finally {
        await profile.close();
        await server.stop();
      }
    }
  } finally {
    await browser.close();
  }
  return { rounds, product: figures(seen.map((each) => each.product)), empty: figures(seen.map((each) => each.empty)) };
}

async function activationOf(host: ExtensionHost, id: string): Promise<Activation> {
  const marks = await host.run(async (vscode, wanted) => {
    await vscode.extensions.getExtension(wanted)?.activate();
    const { MonacoPerformanceMarks: performance } = globalThis as unknown as {
      MonacoPerformanceMarks: { getMarks(): { name: string; startTime: number }[] };
    };
    return performance.getMarks().filter(({ name }) => name.toLowerCase().endsWith(`/${wanted}`));
  }, id);
  const between = (step: string): number => {
    const [start, end] = ['will', 'did'].map((when) => marks.find(({ name }) => name.includes(`/${when}${step}/`)));
    if (start === undefined || end === undefined) {
      throw new Error(`VS Code has not marked ${step} of ${id}`);
    }
    return end.startTime - start.startTime;
  };
  return { load: between('LoadExtensionCode'), activate: between('ActivateExtension') };
}

function figures(seen: readonly Activation[]): StartupFigures {
  const sorted = (of: keyof Activation): number[] => seen.map((each) => each[of]).sort((a, b) => a - b);
  const pick = (at: number): Activation => ({
    load: sorted('load')[at] ?? NaN,
    activate: sorted('activate')[at] ?? NaN,
  });
  return { best: pick(0), median: pick(Math.floor(seen.length / 2)) };
}
