// Reads the records below a folder once, in a process of its own, and tells in milliseconds how long that took and how long
// nothing else had its turn: `FOLDER ours` as a window does when it opens, `FOLDER floor` with as little work
// as there can be.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock as clock } from '../../../src/base/async';
import { JobEngine } from '../../../src/jobs/jobEngine';
import { JobFiles } from '../../../src/jobs/store/jobFiles';
import { MemoryBudget } from '../../support/memoryBudget';
import { ScriptedJobApi } from '../../support/scriptedJobApi';
import { ScriptedNews } from '../../support/scriptedNews';

/** How finely the longest wait of others is told, in milliseconds. */
const RESOLUTION_MS = 1;

const [root = '', who = ''] = process.argv.slice(2);
// It counts from its first beat, and what it counts ends with a beat: it is to have one before the work and one after it.
const turns = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
turns.enable();
await delay(20);
const start = performance.now();
const jobs = who === 'ours' ? await ours() : floor();
const tookMs = performance.now() - start;
await delay(20);
turns.disable();
process.stdout.write(JSON.stringify({ jobs, tookMs, longestMs: turns.max / 1e6 - RESOLUTION_MS }));

/** All that happens below the views. Nothing is sent: all jobs are over. */
async function ours(): Promise<number> {
  const ignore = (): void => undefined;
  const log = { info: ignore, warn: ignore, error: ignore };
  const onDidComeToFront = (): { dispose: () => void } => ({ dispose: ignore });
  const engine = new JobEngine({
    files: new JobFiles(root, log),
    budget: new MemoryBudget(),
    presence: { announce: () => Promise.resolve([]), withdraw: ignore },
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

/** Each file is found, read and decoded, in one go. */
function floor(): number {
  const keys = readdirSync(root);
  for (const key of keys) {
    for (const name of readdirSync(join(root, key))) {
      if (name.endsWith('.jsonl')) {
        readFileSync(join(root, key, name), 'utf8')
          .trimEnd()
          .split('\n')
          .forEach((line) => void JSON.parse(line));
      }
    }
  }
  return keys.length;
}
