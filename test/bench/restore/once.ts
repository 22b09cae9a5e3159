// Reads the records below a folder once, in its own process. Prints in milliseconds how long that took and how long the
// event loop was blocked at most. `FOLDER ours` reads as a window does when it opens, `FOLDER floor` with as little
// work as possible.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock as clock } from '../../../src/base/async';
import { JobEngine } from '../../../src/jobs/jobEngine';
import { JobFiles } from '../../../src/jobs/store/jobFiles';
import { MemoryQuota } from '../../support/memoryQuota';
import { ScriptedJobApi } from '../../support/scriptedJobApi';
import { ScriptedNews } from '../../support/scriptedNews';

/** Resolution of the event loop delay, in milliseconds. */
const RESOLUTION_MS = 1;

const [root = '', who = ''] = process.argv.slice(2);
// The monitor measures between two of its own timer ticks, so it needs one tick before the work and one after it.
const turns = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
turns.enable();
await delay(20);
const start = performance.now();
const jobs = who === 'ours' ? await ours() : floor();
const tookMs = performance.now() - start;
await delay(20);
turns.disable();
process.stdout.write(JSON.stringify({ jobs, tookMs, longestMs: turns.max / 1e6 - RESOLUTION_MS }));

/** Runs everything below the views. Nothing is sent, because all jobs have ended. */
async function ours(): Promise<number> {
  const ignore = (): void => undefined;
  const log = { info: ignore, warn: ignore, error: ignore };
  const onDidComeToFront = (): { dispose: () => void } => ({ dispose: ignore });
  const engine = new JobEngine({
    files: new JobFiles(root, log),
    budget: new MemoryQuota(),
    leader: { update: () => Promise.resolve(undefined), remove: ignore },
    news: new ScriptedNews(),
    api: new ScriptedJobApi(),
    uiProbe: { ping: () => Promise.resolve() },
    notifier: { shouldNotify: () => true, isInFront: () => true, onDidComeToFront, show: ignore },
    clock,
    random: Math.random,
    newId: () => 'a',
    log,
  });
  await engine.open();
  engine.dispose();
  return engine.store.jobs.length;
}

/** Finds, reads and decodes each file in a single task. */
function floor(): number {
  const keys = readdirSync(root);
  for (const key of keys) {
    for (const name of readdirSync(join(root, key))) {
      if (name.endsWith('.json')) {
        void JSON.parse(readFileSync(join(root, key, name), 'utf8'));
      }
    }
  }
  return keys.length;
}
