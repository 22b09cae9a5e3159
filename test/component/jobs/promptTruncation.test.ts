import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '../../../src/base/async';
import { JobStore } from '../../../src/jobs/jobStore';
import { MAX_KEPT_PROMPT_LENGTH, withFullPrompts } from '../../../src/jobs/promptTruncation';
import { JobFiles } from '../../../src/jobs/store/jobFiles';
import type { OutgoingPrompt } from '../../../src/jobs/trackedJob';
import { lost, refused } from '../../support/serviceErrors';
import { snapshot } from '../../support/trackedJob';
import { home, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

const long = `Explain this diff:\n${'+ a line\n'.repeat(50_000)}the end`;

describe('long prompt', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
    world.api.retrieves = [wireJob('completed')];
  });
  afterEach(() => window.close());

  function only({ job }: TestWindow): OutgoingPrompt {
    const [send] = job.sends;
    ok(send !== undefined);
    return send;
  }

  it('is truncated in the memory of every window once accepted and read from disk on demand', async () => {
    world.api.creates = [wireJob('active')];
    await window.create(home, long);
    const other = await new TestWindow(world).open();
    for (const each of [window, other]) {
      const { prompt, isCut } = only(each);
      deepStrictEqual([prompt.length, isCut], [MAX_KEPT_PROMPT_LENGTH, true]);
      ok(prompt.startsWith('Explain this diff:\n+ a line') && prompt.endsWith('…'));
      const events = JSON.stringify(each.store.eventsOf(each.job.key));
      ok(events.length < 2 * MAX_KEPT_PROMPT_LENGTH, 'the events hold no more of it');
      strictEqual(await each.store.promptOf(each.job.key, only(each)), long);
      strictEqual((await withFullPrompts(each.store, each.job)).sends[0]?.prompt, long);
    }
    other.close();
  });

  it('stays complete in memory while it may still be sent', async () => {
    world.api.creates = [refused, wireJob('active')];
    await window.create(home, long);
    strictEqual(only(window).prompt, long);
    await window.sendAgain(window.job, only(window));
    deepStrictEqual(world.api.calls.slice(0, 2), [`create ${long}`, `create ${long}`]);
    strictEqual(only(window).isCut, true);
  });

  it('is never replaced by its beginning when the disk can’t be read', async () => {
    world.api.creates = [lost];
    await window.create(home, long);
    await window.outbox.discard(window.job, only(window));
    strictEqual(only(window).isCut, true);
    const read = world.records.read.bind(world.records);
    world.records.read = () => Promise.reject(new Error('EIO'));
    await rejects(window.store.promptOf(window.job.key, only(window)), /EIO/);
    world.records.read = () => Promise.resolve([]);
    await rejects(window.store.promptOf(window.job.key, only(window)), /missing or damaged/);
    world.records.read = read;
    strictEqual(await window.store.promptOf(window.job.key, only(window)), long);
  });

  it('does not use memory after a restart', async function () {
    const root = await mkdtemp(join(tmpdir(), 'prompts-'));
    try {
      const ignore = (): void => undefined;
      const log = { info: ignore, warn: ignore, error: ignore };
      const files = new JobFiles(root, log);
      for (let n = 0; n < 40; n++) {
        const key = `job${String(n).padStart(16, '0')}`;
        const prompt = `${n} ${long}`;
        const event = { type: 'send', at: 1, send: 's', kind: 'create', prompt, home } as const;
        await files.write(key, { stamp: '000000001-a', event });
        const job = snapshot('completed', { id: `j${n}` });
        await files.write(key, { stamp: '000000002-a', event: { type: 'created', at: 2, send: 's', job } });
        await files.write(key, { stamp: '000000003-a', event: { type: 'untracked', at: 3 } });
      }
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      collect();
      const before = process.memoryUsage().heapUsed;
      const store = new JobStore({ files, clock: systemClock, newId: () => 'x', log });
      await store.load();
      collect();
      const grown = process.memoryUsage().heapUsed - before;
      strictEqual(store.jobs.length, 40);
      ok(grown < 4_000_000, `the heap grew by ${Math.round(grown / 1e6)} MB`);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
