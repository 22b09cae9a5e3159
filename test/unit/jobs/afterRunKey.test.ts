import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { OutgoingPrompt } from '../../../src/jobs/trackedJob';
import { ServiceError } from '../../../src/protocol/errors';
import { badKey } from '../../support/scriptedJobApi';
import { home, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

describe('follow-up that waits for the run to end while the key is missing or rejected', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
    world.api.creates = [wireJob('active')];
    world.api.retrieves = [wireJob('active')];
    world.api.messages = [wireJob('active')];
    await window.create(home, 'Explain');
  });
  afterEach(() => window.close());

  const sent = (): string[] => world.api.calls.filter((call) => call.startsWith('message'));
  /** Ends the current run; the next run stays active. */
  const endRun = async (): Promise<void> => {
    world.api.retrieves = [wireJob('completed'), wireJob('active')];
    await world.clock.advance(70_000);
  };

  it('waits for the key when typed between runs and is sent once a key is set', async () => {
    const { job } = window;
    await endRun();
    world.api.creates = [badKey];
    const other = await window.create(home, 'Explain the other');
    const { prompt } = await (await window.outbox.followUp(job, 'Then translate', { afterRun: true })).sent;
    deepStrictEqual(prompt.waiting, { for: 'apiKey', isMissing: false });
    await window.outbox.discard(other.job, other.prompt);
    window.engine.loop.keyChanged(home.service);
    await world.clock.advance(1000);
    deepStrictEqual(sent(), ['message j1 Then translate']);
  });

  it('reports that it waits for the key when the run ends, and is sent with the next key', async () => {
    const { job } = window;
    await window.outbox.followUp(job, 'Then translate', { afterRun: true });
    world.api.creates = [badKey];
    await window.create(home, 'Explain the other');
    const second = await new TestWindow(world).open();
    await endRun();
    const kept = (): OutgoingPrompt | undefined => window.store.get(job.key)?.prompts.at(-1);
    deepStrictEqual([kept()?.waiting?.for, sent()], ['apiKey', []]);
    strictEqual(world.records.folders.get(job.key)?.filter(({ event }) => event.type === 'needsKey').length, 1);
    world.api.creates = [wireJob('active', { id: 'j2' })];
    window.engine.loop.keyChanged(home.service);
    await world.clock.advance(1000);
    deepStrictEqual([kept()?.state, sent()], ['created', ['message j1 Then translate']]);
    second.close();
  });
});

describe('prompt that waits for the rate limit while the key is rejected', () => {
  it('waits for the key once its time has come, and is sent with the next key', async () => {
    const world = createSharedPorts();
    const window = await new TestWindow(world).open();
    world.api.retrieves = [wireJob('active')];
    world.api.creates = [new ServiceError('limit', { effect: 'refused', status: 429, retryAfterMs: 60_000 })];
    const { job } = await window.create(home, 'Explain');
    const send = (): OutgoingPrompt | undefined => window.store.get(job.key)?.prompts.at(-1);
    world.clock.jump(-12 * 3_600_000);
    world.api.creates = [badKey];
    await window.create({ ...home, projectId: 'p2' }, 'Explain the other');
    await world.clock.advance(50_000);
    strictEqual(send()?.waiting?.for, 'rateLimit');
    await world.clock.advance(20_000);
    deepStrictEqual([send()?.waiting?.for, world.api.count('create')], ['apiKey', 2]);
    world.api.creates = [wireJob('active', { id: 'j2' }), wireJob('active', { id: 'j3' })];
    window.engine.loop.keyChanged(home.service);
    await world.clock.advance(1000);
    strictEqual(send()?.state, 'created');
    window.close();
  });
});
