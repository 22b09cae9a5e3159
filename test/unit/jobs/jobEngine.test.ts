import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { jobStatus } from '../../../src/jobs/jobStatus';
import { QUEUED_LIMIT_MS, SENDING_LIMIT_MS } from '../../../src/jobs/sendLoop';
import type { WireJob } from '../../../src/protocol/job';
import { down, lost } from '../../support/scriptedJobApi';
import { location, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

describe('jobs engine', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
    world.api.retrieves = [wireJob('completed')];
  });
  afterEach(() => window.close());

  it('shows a follow-up to a job that was removed from the list meanwhile, and sends it', async () => {
    world.api.creates = [wireJob('completed')];
    const { job } = await window.create(location, 'Explain');
    await window.store.append(job.key, { type: 'untracked', at: world.clock.now() });
    world.api.openError = down;
    await window.followUp(job, 'Add an example');
    strictEqual(window.job.untracked, false);
    world.api.openError = undefined;
    world.api.messages = [wireJob('completed')];
    await world.clock.advance(600_000);
    strictEqual(world.api.count('message'), 1);
  });

  it('lets another window send when the leader’s probe never ends', async () => {
    const others = [await new TestWindow(world).open(), await new TestWindow(world).open()];
    world.api.openError = down;
    await window.create(location, 'Explain');
    world.api.probing = new Promise(() => undefined);
    await world.clock.advance(60_000);
    world.api.probing = Promise.resolve();
    const probes = world.api.count('probe');
    await world.clock.advance(400_000);
    strictEqual(world.api.count('probe'), probes);
    world.api.openError = undefined;
    world.api.creates = [wireJob('completed')];
    await world.clock.advance(1_300_000);
    strictEqual(world.api.count('create'), 1);
    others.forEach((each) => each.close());
  });

  it('sets no more timers and sends no more probes over time while the disk is full', async () => {
    world.api.creates = [wireJob('active')];
    world.api.retrieves = [wireJob('active')];
    const { job } = await window.create(location, 'Explain');
    await world.clock.advance(10_000);
    const claim = world.records.claim.bind(world.records);
    world.records.claim = () => Promise.reject(new Error('ENOSPC'));
    await window.followUp(job, 'Add an example');
    world.records.writeError = new Error('ENOSPC');
    await world.clock.advance(60_000);
    const timers = world.clock.pending;
    await world.clock.advance(3_600_000);
    ok(world.clock.pending <= timers + 2, `${world.clock.pending} timers after ${timers}`);
    ok(world.api.count('probe') <= 40, `${world.api.count('probe')} probes`);
    world.records.claim = claim;
    world.records.writeError = undefined;
    world.api.messages = [wireJob('active')];
    await world.clock.advance(600_000);
    strictEqual(world.api.count('message'), 1);
  });

  it('reads the list, and a record, again after a temporary read error', async () => {
    world.api.creates = [new Promise<WireJob>(() => undefined)];
    void window.create(location, 'Explain');
    await world.clock.advance(0);
    window.close();
    const { records } = world;
    const [list, read] = [records.list.bind(records), records.read.bind(records)];
    records.list = () => Promise.reject(new Error('EMFILE'));
    const next = await new TestWindow(world).open();
    deepStrictEqual([next.store.jobs, next.store.isLoaded], [[], false]);
    records.list = list;
    await world.clock.advance(2000);
    strictEqual(jobStatus(next.job), 'sending');
    records.read = () => Promise.reject(new Error('EMFILE'));
    await world.clock.advance(SENDING_LIMIT_MS + 1000);
    records.read = read;
    await world.clock.advance(SENDING_LIMIT_MS + 1000);
    strictEqual(jobStatus(next.job), 'unconfirmed');
    next.close();
  });

  describe('when its window closes', () => {
    const onDisk = (): string[] => [...world.records.folders.values()].flat().map(({ event }) => event.type);
    /** Ends the window and returns whether that finished within this many milliseconds. */
    async function endsWithin(ms: number): Promise<boolean> {
      const progress = { isDone: false };
      void window.engine.end().then(() => (progress.isDone = true));
      await world.clock.advance(ms);
      return progress.isDone;
    }

    it('waits for the answer to a prompt that is being sent, and records it', async () => {
      let answer: (job: WireJob) => void = () => undefined;
      world.api.creates = [new Promise((resolve) => (answer = resolve))];
      void window.create(location, 'Explain');
      await world.clock.advance(100);
      strictEqual(await endsWithin(2000), false);
      answer(wireJob('active'));
      strictEqual(await endsWithin(10), true);
      deepStrictEqual([onDisk(), world.clock.pending], [['send', 'claimed', 'created'], 0]);
    });

    it('waits at most four seconds for the answer', async () => {
      world.api.creates = [new Promise(() => undefined)];
      void window.create(location, 'Explain');
      await world.clock.advance(100);
      strictEqual(await endsWithin(3900), false);
      strictEqual(await endsWithin(4100), true);
      deepStrictEqual(onDisk(), ['send', 'claimed']);
    });

    it('claims nothing more, so that another window sends what was not started', async () => {
      let open: () => void = () => undefined;
      world.api.creates = [wireJob('active')];
      world.api.opening = new Promise((resolve) => (open = resolve));
      void window.create(location, 'Explain');
      await world.clock.advance(100);
      strictEqual(await endsWithin(100), false);
      open();
      strictEqual(await endsWithin(10), true);
      deepStrictEqual(onDisk(), ['send']);
      const other = await new TestWindow(world).open();
      await world.clock.advance(QUEUED_LIMIT_MS - 10_000);
      strictEqual(world.api.count('create'), 0);
      await world.clock.advance(11_000);
      strictEqual(other.job.prompts[0]?.state, 'created');
      other.close();
    });

    it('waits for a discarded prompt to be written on a slow disk', async () => {
      world.api.creates = [lost];
      const { job, prompt } = await window.create(location, 'Explain');
      const { records, clock } = world;
      const [write, claim] = [records.write.bind(records), records.claim.bind(records)];
      const slow = (): Promise<void> => new Promise((resolve) => void clock.after(500, resolve));
      records.write = (...args) => slow().then(() => write(...args));
      records.claim = (...args) => slow().then(() => claim(...args));
      void window.outbox.discard(job, prompt);
      strictEqual(await endsWithin(900), false);
      strictEqual(await endsWithin(300), true);
      deepStrictEqual(onDisk().slice(-2), ['claimed', 'discarded']);
    });
  });
});
