import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXTENSION_ID } from '../../../src/extension/ids';
import { writeFinishedJobs, writeJob } from '../../support/finishedJobs';
import { ScriptedServer } from '../../support/scriptedServer';
import { launchBrowser } from '../../support/vscode/browser';
import type { ExtensionHost } from '../../support/vscode/extensionHosts';
import { RESOURCE_WATCH, openFiles, ownResources } from '../../support/vscode/ownResources';
import { packageExtension } from '../../support/vscode/packageExtension';
import { checkoutRoot } from '../../support/vscode/paths';
import { VsCodeServer } from '../../support/vscode/server';
import { withTemporaryFolder } from '../../support/vscode/temporaryFolder';
import { Workbench } from '../../support/vscode/workbench';
import { packageEmptyExtension } from '../emptyExtension';
import { enterKey } from '../../e2e/hostedWindow';
import { type Figure, figure } from '../figures';
import { type HostUsage, measureUsage } from './hostUsage';

/** The duration of the measurement in minutes, unless `DOCS_AGENT_BENCH_MINUTES` is set. */
const MINUTES = 10;

/** The number of ended jobs, and the number of running jobs in the window that is not idle. */
const ENDED = 1_000;
const ACTIVE = 10;

/** How long a new window is busy with other work, in milliseconds. */
const SETTLE_MS = 30_000;

/** How long the service keeps a connection open, in milliseconds. Many web servers use this value. */
const KEEP_ALIVE_MS = 75_000;

/** The editor's repeated search for listening ports varies and costs ten times what is measured here. */
const QUIET = { 'remote.autoForwardPorts': false, 'remote.autoForwardPortsSource': 'output' };

/** The maximum for this many active jobs, in percent of one core. */
const MAX_PERCENT = 0.3;

/**
 * Measures what the extension costs while idle and while it follows a few jobs, compared with a host that runs an empty
 * extension. All are measured at the same time for some minutes, with the list visible. Linux only.
 */
export function measureIdle(): Promise<{ figures: Figure[]; about: string }> {
  const minutes = Number(process.env['DOCS_AGENT_BENCH_MINUTES'] ?? MINUTES);
  return withTemporaryFolder(async (folder) => {
    const product = join(folder, 'product.vsix');
    await packageExtension(checkoutRoot, product);
    const empty = await packageEmptyExtension(folder, 'nothing', 'onStartupFinished');
    const service = await ScriptedServer.start();
    service.keepAliveMs = KEEP_ALIVE_MS;
    service.choose = ({ path }) => ({ body: { id: path.split('/').at(-1), status: 'active' } });
    const browser = await launchBrowser();
    const servers: VsCodeServer[] = [];
    const open = async (vsix: string, active: number, companions: string[] = []): Promise<ExtensionHost> => {
      const hosted = { 'docsAgent.baseUrl': service.url, 'docsAgent.projectId': 'docs-project' };
      const server = await VsCodeServer.start({ vsix: [vsix], settings: { ...hosted, ...QUIET }, companions });
      servers.push(server);
      if (vsix === product) {
        await writeRecords(join(server.globalStorage(EXTENSION_ID), 'jobs'), service.url, active);
      }
      const window = await Workbench.open(await Workbench.newProfile(browser), server, { folder });
      if (vsix === product) {
        await showList(window, active);
      }
      return window.host;
    };
    try {
      // The companion records every timer and promise, which costs more than what is measured, so it gets its own host.
      const watched = await open(product, 0, [RESOURCE_WATCH]);
      const hosts = [await open(product, 0), await open(product, ACTIVE), await open(empty.vsix, 0)] as const;
      await delay(SETTLE_MS);
      const before = await ownResources(watched);
      const [idle, busy, floor] = await measureUsage(hosts, minutes * 60_000);
      const [after, files] = [await ownResources(watched), await openFiles(watched)];
      const own = { alive: after.alive.length, made: after.made - before.made, files: files.length };
      const requests = service.requests.length;
      const about =
        `${ENDED.toLocaleString('en')} finished jobs, list visible, ${minutes} min, ` +
        `four windows at the same time; ${requests} requests for the ${ACTIVE} active jobs. ` +
        'Processor time of the whole extension host, which VS Code itself keeps waking, as a share of one core.';
      return { figures: figuresOf(own, idle, busy, floor), about };
    } finally {
      await browser.close();
      await Promise.all(servers.map((server) => server.stop()));
      await service.close();
    }
  });
}

/** The resources that the idle extension holds, and those that it created during the measurement. */
interface Own {
  alive: number;
  made: number;
  files: number;
}

function figuresOf(own: Own, idle: HostUsage, busy: HostUsage, floor: HostUsage): Figure[] {
  const peer = (measured: number): { name: string; measured: number } => ({ name: 'an empty extension', measured });
  const none = { of: 'median', most: 0 } as const;
  const more = busy.percent - idle.percent;
  return [
    figure({ name: 'timers and handles while idle', unit: '', ours: own.alive, wanted: { of: 'median', most: 2 } }),
    figure({ name: 'timers and handles created while idle', unit: '', ours: own.made, wanted: none }),
    figure({ name: 'open files while idle', unit: '', ours: own.files, wanted: none }),
    figure({ name: 'file descriptors of the host', unit: '', ours: idle.descriptors, peer: peer(floor.descriptors) }),
    figure({
      name: 'wake-ups per minute, idle',
      unit: '',
      ours: idle.wakesPerMinute,
      peer: peer(floor.wakesPerMinute),
    }),
    figure({ name: 'processor, idle', unit: '%', ours: idle.percent, peer: peer(floor.percent) }),
    figure({ name: `processor, ${ACTIVE} active jobs`, unit: '%', ours: busy.percent, peer: peer(floor.percent) }),
    figure({
      name: `what ${ACTIVE} active jobs add`,
      unit: '%',
      ours: Math.max(0, more),
      wanted: { of: 'median', most: MAX_PERCENT },
    }),
  ];
}

async function writeRecords(root: string, service: string, active: number): Promise<void> {
  const next = `${root}-new`;
  await mkdir(next, { recursive: true });
  await writeFinishedJobs(next, ENDED);
  const home = { service, baseUrl: service, projectId: 'docs-project' };
  const rest = { prLink: null, ref: null, repository: null, model: null, createdAt: null, error: null };
  for (let index = 0; index < active; index++) {
    const [send, at] = [`s${index}`, Date.now() - index * 60_000];
    await writeJob(next, `active${String(index).padStart(10, '0')}`, [
      { type: 'send', at, send, kind: 'create', prompt: `Explain part ${index}`, home },
      { type: 'created', at: at + 1000, send, job: { id: `a${index}`, status: 'active', ...rest }, home },
    ]);
  }
  await rename(next, root);
}

/** Shows the list and waits for its jobs. Active jobs are polled, which needs a key. */
async function showList(window: Workbench, active: number): Promise<void> {
  await window.host.command('docsAgent.jobs.focus');
  await window.tree('Jobs').expectRow(/Document part/);
  if (active > 0) {
    await enterKey(window);
  }
}
