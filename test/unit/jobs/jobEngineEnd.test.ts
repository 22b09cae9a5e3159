import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { QUEUED_LIMIT_MS } from '../../../src/jobs/sendLoop';
import { ServiceError } from '../../../src/protocol/errors';
import type { WireJob } from '../../../src/protocol/job';
import { lost } from '../../support/scriptedJobApi';
import { home, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

describe('closing window', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
    world.api.retrieves = [wireJob('completed')];
  });

  const onDisk = (): string[] => [...world.records.folders.values()].flat().map(({ event }) => event.type);

  /** Ends the window and returns whether that finished within this many milliseconds. */
  async function endsWithin(ms: number): Promise<boolean> {
    const progress = { isDone: false };
    void window.engine.end().then(() => (progress.isDone = true));
    await world.clock.advance(ms);
    return progress.isDone;
  }

  it('waits for the answer to a prompt that is being sent and records it', async () => {
    let answer: (job: WireJob) => void = () => undefined;
    world.api.creates = [new Promise((resolve) => (answer = resolve))];
    void window.create(home, 'Explain');
    await world.clock.advance(100);
    strictEqual(await endsWithin(2000), false);
    answer(wireJob('active'));
    strictEqual(await endsWithin(10), true);
    deepStrictEqual(onDisk(), ['send', 'claimed', 'created']);
    strictEqual(world.clock.pending, 0);
  });

  it('waits at most four seconds for the answer', async () => {
    world.api.creates = [new Promise(() => undefined)];
    void window.create(home, 'Explain');
    await world.clock.advance(100);
    strictEqual(await endsWithin(3900), false);
    strictEqual(await endsWithin(4100), true);
    deepStrictEqual(onDisk(), ['send', 'claimed']);
  });

  it('claims no more sends, so another window sends what was not started', async () => {
    let open: () => void = () => undefined;
    world.api.creates = [wireJob('active')];
    world.api.opening = new Promise((resolve) => (open = resolve));
    void window.create(home, 'Explain');
    await world.clock.advance(100);
    strictEqual(await endsWithin(100), false);
    open();
    strictEqual(await endsWithin(10), true);
    deepStrictEqual(onDisk(), ['send']);
    const other = await new TestWindow(world).open();
    await world.clock.advance(QUEUED_LIMIT_MS + 1000);
    strictEqual(other.job.prompts[0]?.state, 'created');
    other.close();
  });

  it('keeps a prompt waiting that was aborted before any of it was sent', async () => {
    world.api.openError = new ServiceError('aborted', { effect: 'none' });
    const { prompt } = await window.create(home, 'Explain');
    strictEqual(prompt.waiting?.for, 'network');
    window.close();
  });

  it('waits for a discarded prompt to be written on a slow disk', async () => {
    world.api.creates = [lost];
    const { job, prompt } = await window.create(home, 'Explain');
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
