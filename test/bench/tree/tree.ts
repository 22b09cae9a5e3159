import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../support/vscode/browser';
import { packageExtension } from '../../support/vscode/packageExtension';
import { checkoutRoot } from '../../support/vscode/paths';
import { VsCodeServer } from '../../support/vscode/server';
import { withTemporaryFolder } from '../../support/vscode/temporaryFolder';
import { Workbench } from '../../support/vscode/workbench';
import { type Figure, figure } from '../figures';
import { ROWS, TREES, type TreeName } from './treeNames';

/** How long a new window is busy with other work, in milliseconds. */
const SETTLE_MS = 2_000;

const ACTS = ['first rows', 'one changed row', 'filter to one row', 'filter cleared'] as const;
type Act = (typeof ACTS)[number];

/** The editor batches further changes within 200 ms of a change; this pause makes each act the first of its batch. */
const QUIET_MS = 500;

/** How often the quick act is measured in each window. */
const RENAMES = 10;
type Times = Record<TreeName, Record<Act, number[]>>;

/** The maximum duration of each act, as a multiple of the bare tree's. */
const MAX_RATIO = 1.2;

/**
 * Measures what a list of this many jobs costs in a real window, from the act in the extension host to the frame that
 * shows it. Compares the product's list with trees that have as many rows and do nothing else, in the same windows.
 */
export function measureTree(rounds: number): Promise<{ figures: Figure[]; about: string }> {
  return withTemporaryFolder(async (folder) => {
    const times = await measure(folder, rounds);
    const figures = ACTS.flatMap((act) => [against(times, act, 'plain'), against(times, act, 'dressed')]);
    const about =
      `${ROWS.toLocaleString('en')} jobs or rows, ${rounds} windows. The plain tree has IDs and labels, ` +
      'the decorated one everything that our rows show; both return all rows at once, ours 200 per section at first.';
    return { figures, about };
  });
}

function against(times: Times, act: Act, tree: 'plain' | 'dressed'): Figure {
  const peer = { name: tree === 'plain' ? 'a plain tree' : 'the same, decorated', measured: times[tree][act] };
  return figure({
    name: act,
    unit: 'ms',
    ours: times.ours[act],
    peer,
    by: 'best',
    wanted: tree === 'plain' ? { of: 'ratio', most: MAX_RATIO } : undefined,
  });
}

async function measure(folder: string, rounds: number): Promise<Times> {
  const empty = (): Record<Act, number[]> =>
    Object.fromEntries(ACTS.map((act) => [act, [] as number[]])) as Record<Act, number[]>;
  const times: Times = { ours: empty(), plain: empty(), dressed: empty() };
  const server = await VsCodeServer.start({ vsix: [await packageTrees(folder)] });
  const browser = await launchBrowser();
  try {
    for (let round = 0; round < rounds; round += 1) {
      const profile = await Workbench.newProfile(browser);
      const window = await Workbench.open(profile, server, { folder });
      await delay(SETTLE_MS);
      // The first tree also pays for the window's own preparations, so each of them is first in turn.
      for (const tree of TREES.map((_, place) => TREES[(place + round) % TREES.length] ?? 'ours')) {
        const one = await measureOne(window, tree);
        ACTS.forEach((act) => times[tree][act].push(...one[act]));
      }
      await profile.close();
    }
  } finally {
    await browser.close();
    await server.stop();
  }
  return times;
}

/** Measures how long each of the acts takes, in milliseconds. */
async function measureOne({ page, host }: Workbench, tree: TreeName): Promise<Record<Act, number[]>> {
  const act = async (what: 'open' | 'rename' | 'filter', text: string, shown: string): Promise<number> => {
    await delay(QUIET_MS);
    const painted = paintOf(page, shown);
    const start = await host.command('bench.act', { tree, act: what, text });
    return (await painted) - Number(start);
  };
  const open = await act('open', '', `Document part ${ROWS - 1} of the handbook`);
  const renames: number[] = [];
  for (let index = 0; index < RENAMES; index += 1) {
    renames.push(await act('rename', `Changed ${index}`, `Changed ${index}`));
  }
  const filter = await act('filter', 'part 4711 of', 'Document part 4711 of the handbook');
  const whole = await act('filter', '', `Changed ${RENAMES - 1}`);
  return {
    'first rows': [open],
    'one changed row': renames,
    'filter to one row': [filter],
    'filter cleared': [whole],
  };
}

/** Resolves with the wall-clock time of the first frame in which a row with this label is the first of the list. */
async function paintOf(page: Page, label: string): Promise<number> {
  // Passed as text because it runs in the page, whose types are not the types of these sources.
  return page.evaluate(`new Promise((resolve) => {
    const first = () => [...document.querySelectorAll('.sidebar .monaco-list-row .label-name')]
      .find((row) => /^(Document|Changed)/.test(row.textContent))?.textContent;
    const look = () => {
      if (first() === ${JSON.stringify(label)}) {
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())));
        return true;
      }
      return false;
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    look();
  })`);
}

/** Packages an extension that contains only the trees; returns the path of its package. */
async function packageTrees(folder: string): Promise<string> {
  const source = join(folder, 'trees');
  await mkdir(source);
  const containers = TREES.map((tree) => ({ id: `bench-${tree}`, title: `Bench ${tree}`, icon: '$(list-tree)' }));
  const manifest = {
    name: 'trees',
    publisher: 'docs-agent-bench',
    version: '0.0.1',
    engines: { vscode: '^1.101.0' },
    main: './extension.cjs',
    activationEvents: ['*'],
    contributes: {
      viewsContainers: { activitybar: containers },
      views: Object.fromEntries(TREES.map((tree) => [`bench-${tree}`, [{ id: `bench.${tree}`, name: tree }]])),
    },
  };
  await writeFile(join(source, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(source, 'README.md'), 'Trees to compare.\n');
  await build({
    entryPoints: [join(checkoutRoot, 'test/bench/tree/treesExtension.ts')],
    outfile: join(source, 'extension.cjs'),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
    logLevel: 'warning',
  });
  const vsix = join(folder, 'trees.vsix');
  await packageExtension(source, vsix);
  return vsix;
}
