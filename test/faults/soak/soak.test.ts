import { ok, strictEqual } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock as clock } from '../../../src/base/async';
import { AgentClient, Transport } from '../../../src/client';
import type { ServiceLocation } from '../../../src/jobs/events';
import { JobEngine } from '../../../src/jobs/jobEngine';
import { JobFiles } from '../../../src/jobs/store/jobFiles';
import { openLeaderFile } from '../../../src/jobs/store/leaderFile';
import { QuotaFiles } from '../../../src/jobs/store/quotaFiles';
import { report, scaled, seed, seededRandom } from '../../support/scale';
import { ScriptedNews } from '../../support/scriptedJobApi';
import { type Fault, ScriptedServer } from '../../support/scriptedServer';
import { location, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

const FAULTS: readonly Fault[] = ['reset', 'close', 'cut'];

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapMiB(): number {
  collect();
  return process.memoryUsage().heapUsed / 1_048_576;
}

describe('running for a long time', () => {
  it('leaks neither memory nor handles over real requests with faults', async function () {
    const minutes = scaled(0.08, 60);
    this.timeout(minutes * 60_000 + 60_000);
    const roll = seededRandom(seed);
    const root = await mkdtemp(join(tmpdir(), 'soak-'));
    const server = await ScriptedServer.start({ body: { id: 'j1', status: 'active' } });
    const engine = soakedEngine(root, server.url);
    const where: ServiceLocation = { service: server.url, baseUrl: server.url, projectId: 'p1' };
    await engine.open();
    const samples: { hours: number; heap: number; handles: number }[] = [];
    const start = clock.monotonic();
    let polls = 0;
    let timer: NodeJS.Timeout | undefined;
    try {
      // These jobs run throughout, so any growth is a leak and not the list.
      for (let n = 0; n < 20; n++) {
        const kept = await engine.outbox.create(where, `Explain ${n}`);
        await kept.sent;
      }
      timer = setInterval(() => (server.answers = [someAnswer(roll)]), 20);
      for (; clock.monotonic() - start < minutes * 60_000 || samples.length < 3; polls++) {
        await Promise.race([engine.poller.pollNow(), delay(2000)]);
        await delay(300);
        server.requests.length = 0;
        if (polls % scaled(1, 20) === 0) {
          const hours = (clock.monotonic() - start) / 3_600_000;
          samples.push({ hours, heap: heapMiB(), handles: process.getActiveResourcesInfo().length });
        }
      }
    } finally {
      clearInterval(timer);
      engine.dispose();
      await server.close();
      await rm(root, { recursive: true, force: true, maxRetries: 3 });
    }
    ok(samples.length > 2);
    const late = samples.slice(Math.floor(samples.length / 3));
    const handles = Math.max(...samples.map((sample) => sample.handles));
    ok(handles < 60, `${handles} handles at once`);
    const growth = slope(late.map(({ hours, heap }) => [hours, heap]));
    const figure = `heap ${growth.toFixed(2)} MiB an hour, at most ${handles} handles`;
    report({ promise: 'C8', what: `${minutes} minutes of real requests with faults`, figure });
    if (minutes >= 30) {
      ok(growth < 1, `the heap grows by ${growth} MiB an hour`);
    }
  });

  it('leaves nothing behind after 30 days', async function () {
    this.timeout(600_000);
    const days = scaled(3, 30);
    const roll = seededRandom(seed);
    const world = createSharedPorts();
    world.random = roll;
    const window = await new TestWindow(world).open();
    for (let day = 0; day < days; day++) {
      for (let n = 0; n < 10; n++) {
        world.api.creates = [wireJob('active', { id: `j${day}-${n}` })];
        world.api.retrieves = [wireJob('active', { id: `j${day}-${n}` })];
        await window.create(location, `Explain ${day} ${n}`);
        await world.clock.advance(roll() * 1_800_000);
        world.api.retrieves = [wireJob('completed', { id: `j${day}-${n}` })];
        await world.clock.advance(600_000);
        world.api.calls.length = 0;
      }
      strictEqual(world.clock.pending, 0, 'a timer is left while nothing runs');
      await world.clock.advance(12 * 3_600_000);
    }
    strictEqual(window.store.jobs.filter((job) => job.endedAt !== undefined).length, days * 10);
    strictEqual(window.told.length, days * 10);
    window.close();
    report({
      promise: 'C8',
      what: `${days} simulated days, 10 jobs each`,
      figure: '0 timers left, each end told once',
    });
  });
});

function someAnswer(roll: () => number): object {
  const chance = roll();
  if (chance < 0.1) {
    return { fault: FAULTS[Math.floor(roll() * FAULTS.length)] };
  }
  if (chance < 0.2) {
    return { status: roll() < 0.5 ? 503 : 429, headers: { 'retry-after': '1' }, body: { error: 'busy' } };
  }
  return { status: 200, body: { id: 'j1', status: 'active' } };
}

function soakedEngine(root: string, url: string): JobEngine {
  const ignore = (): void => undefined;
  const log = { info: ignore, warn: ignore, error: ignore };
  const transport = new Transport();
  const client = new AgentClient({ clock, random: Math.random, transport });
  const target = { baseUrl: url, projectId: 'p1', apiKey: 'mint_soak' };
  const probe = async (): Promise<void> => {
    await client.retrieveJob(target, 'j1', { attempts: 1 });
  };
  return new JobEngine({
    files: new JobFiles(join(root, 'jobs'), log),
    budget: new QuotaFiles(join(root, 'budget'), 100_000),
    leader: openLeaderFile(join(root, 'leader.json'), log),
    news: new ScriptedNews(),
    api: {
      open: async () => ({
        create: (prompt) => client.createJob(target, prompt),
        message: (id, prompt) => client.sendMessage(target, id, prompt),
      }),
      probe,
      retrieve: (_location, id, signal) => client.retrieveJob(target, id, { signal, attempts: 1 }),
    },
    uiProbe: { ping: async () => undefined },
    notifier: {
      shouldNotify: () => true,
      isInFront: () => true,
      onDidComeToFront: () => ({ dispose: ignore }),
      show: ignore,
    },
    clock,
    random: Math.random,
    newId: () => randomBytes(8).toString('hex'),
    log,
  });
}

/** The slope of the straight line through points, by least squares. */
function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)];
  return mean((p) => (p[0] - x) * (p[1] - y)) / mean((p) => (p[0] - x) ** 2);
}
