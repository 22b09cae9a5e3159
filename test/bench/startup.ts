import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFinishedJobs } from '../support/finishedJobs';
import type { ExtensionHost } from '../support/vscode/extensionHosts';
import { packageExtension, withTemporaryFolder } from '../support/vscode/run';
import { checkoutRoot } from '../support/vscode/paths';
import { type Benchmark, type HostCost, inWindow, watch, withBrowser } from './benchWindow';

const PRODUCT = 'docs-agent.docs-agent-jobs';
const JOBS_VIEW = 'docsAgent.jobs';

/** The number of jobs that must be listed quickly. */
const TRACKED = 2_000;

/**
 * Contributes the view from another extension, so that it exists and waits for its content before the product is
 * activated.
 */
const WITH_VIEW = {
  viewsContainers: { activitybar: [{ id: 'docsAgent', title: 'Docs Agent', icon: '$(book)' }] },
  views: { docsAgent: [{ id: JOBS_VIEW, name: 'Jobs' }] },
};

/** How long a new window is busy with other work, in milliseconds. */
const SETTLE_MS = 2_000;

interface Round {
  product: number;
  empty: number;
  afterward: HostCost;
}

/** How long the extension takes to start, next to one that does nothing, and how large it is. Linux only. */
export function measureStartup(rounds: number): Promise<Benchmark> {
  return withTemporaryFolder(async (folder) => {
    const seen = await startRepeatedly(folder, rounds);
    const all = (of: (round: Round) => number): number[] => seen.map(of);
    const packed = await packageExtension(checkoutRoot, join(folder, 'extension.vsix'));
    const dist = join(checkoutRoot, 'dist');
    const atStart = await importedBy(join(dist, 'application.mjs'));
    const modules = (await readdir(dist, { recursive: true })).map((name) => join(dist, name));
    const later = modules.filter((path) => path.endsWith('.mjs') && !atStart.includes(path));
    return {
      title: 'Start and size',
      rows: [
        {
          name: 'load and activate',
          unit: 'ms',
          measured: all(({ product }) => product),
          baseline: { name: 'an empty extension', measured: all(({ empty }) => empty) },
          maxRatio: 1.5,
        },
        {
          name: 'then, until 2,000 jobs are listed',
          unit: 'ms',
          measured: all(({ afterward }) => afterward.took),
        },
        {
          name: 'the same, processor time',
          unit: 'ms',
          measured: all(({ afterward }) => afterward.processor),
        },
        {
          name: 'the same, longest task',
          unit: 'ms',
          measured: all(({ afterward }) => afterward.longest),
        },
        // The limit in scripts/package.mjs.
        { name: 'package', unit: 'KiB', measured: packed / 1024, maxMedian: 768 },
        { name: 'loaded to activate', unit: 'KiB', measured: await sizeOf(join(dist, 'extension.cjs')) },
        {
          name: `loaded right afterward, in ${atStart.length} files`,
          unit: 'KiB',
          measured: await sizeOf(...atStart),
        },
        { name: 'loaded on demand, with the local service', unit: 'KiB', measured: await sizeOf(...later) },
      ],
      about: 'The package is compressed, the sizes below it are not.',
    };
  });
}

/** In KiB. */
async function sizeOf(...paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  return sizes.reduce((total, size) => total + size, 0) / 1024;
}

/** A built file, and those that are loaded with it. */
async function importedBy(path: string, found: string[] = []): Promise<string[]> {
  found.push(path);
  const imports = (await readFile(path, 'utf8')).matchAll(/\b(?:from|import)\s*"(\.[^"]+\.mjs)"/g);
  for (const [, name = ''] of imports) {
    const imported = join(path, '..', name);
    await (found.includes(imported) || importedBy(imported, found));
  }
  return found;
}

/**
 * Both extensions run in the same host, in alternating order, in a fresh server each round. A second empty extension is
 * activated before them, because the first activation also pays for VS Code's own preparations. The extension starts
 * with its jobs on disk and its view open in the side bar.
 */
async function startRepeatedly(folder: string, rounds: number): Promise<Round[]> {
  const first = await packageEmpty(folder, 'first', '*', WITH_VIEW);
  const empty = await packageEmpty(folder, 'empty', 'onCommand:docs-agent-bench.never');
  const product = await packageOnDemand(folder);
  const workspace = join(folder, 'workspace');
  await mkdir(workspace);
  await writeFile(join(workspace, 'readme.md'), '# Page\n');
  const options = {
    vsix: [first.vsix, empty.vsix, product],
    settleMs: 0,
    prepare: (server: { globalStorage: (id: string) => string }) =>
      writeFinishedJobs(join(server.globalStorage(PRODUCT), 'jobs'), TRACKED),
  };
  const seen: Round[] = [];
  await withBrowser(async (browser) => {
    for (let round = 0; round < rounds; round++) {
      await inWindow(browser, workspace, options, async ({ host, page }) => {
        await host.command(`${JOBS_VIEW}.focus`);
        await page.waitForTimeout(SETTLE_MS);
        await activate(host, first.id);
        const before = round % 2 === 0 ? await activate(host, empty.id) : undefined;
        const ours = await startProduct(host);
        await page.waitForTimeout(SETTLE_MS);
        seen.push({ ...ours, empty: before ?? (await activate(host, empty.id)) });
      });
    }
  });
  return seen;
}

/** Measures what follows the activation, too: the rest is loaded, and the jobs are read. */
async function startProduct(host: ExtensionHost): Promise<{ product: number; afterward: HostCost }> {
  const product = await activate(host, PRODUCT);
  const afterward = await watch(host, () =>
    host.run(
      async (vscode, { id, count }) => {
        const { jobs } = vscode.extensions.getExtension(id)!.exports as { jobs: readonly unknown[] };
        void jobs;
        while ((vscode.extensions.getExtension(id)!.exports as { jobs: readonly unknown[] }).jobs.length < count) {
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      },
      { id: PRODUCT, count: TRACKED },
    ),
  );
  return { product, afterward };
}

/**
 * Measures loading and activating through the host's own API, including everything that VS Code does around them. VS
 * Code's own performance marks leave that out and have only whole milliseconds, which is too coarse here.
 */
async function activate(host: ExtensionHost, id: string): Promise<number> {
  return host.run(async (vscode, wanted) => {
    const start = performance.now();
    await vscode.extensions.getExtension(wanted)?.activate();
    return performance.now() - start;
  }, id);
}

/** Packages an extension that does nothing. */
async function packageEmpty(
  folder: string,
  name: string,
  activationEvent: string,
  contributes = {},
): Promise<{ id: string; vsix: string }> {
  const source = join(folder, name);
  await mkdir(source);
  const manifest = {
    ...{ name, publisher: 'docs-agent-bench', version: '0.0.1', engines: { vscode: '^1.101.0' } },
    ...{ main: './extension.js', activationEvents: [activationEvent], contributes },
  };
  await writeFile(join(source, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(source, 'README.md'), 'Does nothing.\n');
  await writeFile(join(source, 'extension.js'), "require('vscode');\nexports.activate = () => {};\n");
  const vsix = join(folder, `${name}.vsix`);
  await packageExtension(source, vsix);
  return { id: `docs-agent-bench.${name}`, vsix };
}

/**
 * Packages the built extension so that only an explicit call activates it, not its view. Returns the package's path.
 * Activation during startup would overlap with everything else that the window loads, so its time would be too long.
 */
async function packageOnDemand(folder: string): Promise<string> {
  const stage = join(folder, 'stage');
  await mkdir(stage);
  for (const name of ['dist', 'media', '.vscodeignore', 'package.nls.json', 'README.md']) {
    if (existsSync(join(checkoutRoot, name))) {
      await cp(join(checkoutRoot, name), join(stage, name), { recursive: true });
    }
  }
  const manifest = JSON.parse(await readFile(join(checkoutRoot, 'package.json'), 'utf8')) as {
    contributes: Record<string, unknown>;
  };
  const contributes = { ...manifest.contributes, views: undefined, viewsContainers: undefined };
  const changed = { ...manifest, contributes, activationEvents: [], scripts: undefined };
  await writeFile(join(stage, 'package.json'), JSON.stringify(changed));
  const vsix = join(folder, 'on-demand.vsix');
  await packageExtension(stage, vsix);
  return vsix;
}
