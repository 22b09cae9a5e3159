import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { jobStatus } from '../../../src/jobs/jobStatus';
import { PromptNotEditableError } from '../../../src/jobs/outbox';
import { ServiceError } from '../../../src/protocol/errors';
import { MemoryQuota } from '../../support/memoryStores';
import { badKey, down, limit } from '../../support/scriptedJobApi';
import { home, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

describe('waiting prompts', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
    world.api.retrieves = [wireJob('completed')];
  });
  afterEach(() => window.close());

  const created = (): string[] => world.api.calls.filter((call) => call.startsWith('create'));

  it('are sent once the service is reachable, after a probe that can’t create a job', async () => {
    world.api.creates = [down];
    world.api.openError = down;
    await window.create(home, 'Explain');
    strictEqual(jobStatus(window.job), 'waiting');
    await world.clock.advance(600_000);
    strictEqual(world.api.count('create'), 0);
    ok(world.api.count('probe') <= 15, `probed ${world.api.count('probe')} times`);
    world.api.openError = undefined;
    world.api.creates = [wireJob('active')];
    await world.clock.advance(300_000);
    strictEqual(world.api.count('create'), 1);
    strictEqual(window.job.snapshot?.id, 'j1');
  });

  it('are sent automatically after the local service refused them without reading them', async () => {
    const turnedAway = { effect: 'none', status: 503, code: 'NOT_HANDLED' } as const;
    world.api.creates = [new ServiceError('unreachable', turnedAway), wireJob('active')];
    await window.create(home, 'Explain');
    strictEqual(jobStatus(window.job), 'waiting');
    await world.clock.advance(10_000);
    strictEqual(world.api.count('create'), 2);
    strictEqual(window.job.snapshot?.id, 'j1');
  });

  it('write nothing to disk while the service is unreachable', async () => {
    world.api.openError = down;
    await window.create(home, 'Explain');
    const files = (): number => world.records.claims.size + (world.records.folders.get(window.job.key)?.length ?? 0);
    const before = files();
    await world.clock.advance(86_400_000);
    strictEqual(files(), before);
  });

  it('are sent immediately when any answer shows that the service is back', async () => {
    world.api.openError = down;
    await window.create(home, 'Explain a');
    await world.clock.advance(1_000_000);
    world.api.openError = undefined;
    world.api.creates = [wireJob('active')];
    window.engine.loop.noteAnswer(home.service);
    await world.clock.advance(0);
    strictEqual(world.api.count('create'), 1);
  });

  it('are sent after Retry-After, but not before', async () => {
    world.api.creates = [limit, wireJob('active')];
    await window.create(home, 'Explain');
    strictEqual(window.job.prompts[0]?.reason?.until, world.clock.now() + 120_000);
    await world.clock.advance(119_000);
    strictEqual(world.api.count('create'), 1);
    await world.clock.advance(2000);
    strictEqual(world.api.count('create'), 2);
    strictEqual(window.job.prompts[0].state, 'created');
  });

  it('are sent in the order typed, with new prompts behind waiting ones', async () => {
    world.api.creates = [limit];
    await window.create(home, 'one');
    await world.clock.advance(10);
    await window.create(home, 'two');
    await world.clock.advance(10);
    await window.create(home, 'three');
    deepStrictEqual(created(), ['create one']);
    world.api.creates = [wireJob('active'), wireJob('active', { id: 'j2' }), wireJob('active', { id: 'j3' })];
    await world.clock.advance(130_000);
    deepStrictEqual(created(), ['create one', 'create one', 'create two', 'create three']);
  });

  it('wait no longer than required when the clock is set back by a year', async () => {
    world.api.creates = [limit, wireJob('active')];
    await window.create(home, 'Explain');
    window.close();
    world.clock.jump(-31_536_000_000);
    const next = await new TestWindow(world).open();
    await world.clock.advance(140_000);
    strictEqual(next.job.prompts[0]?.state, 'created');
    next.close();
  });

  it('are sent by another window after their own window closed', async () => {
    world.api.openError = down;
    await window.create(home, 'Explain');
    window.close();
    world.api.openError = undefined;
    world.api.creates = [wireJob('active')];
    const next = await new TestWindow(world).open();
    await world.clock.advance(10_000);
    strictEqual(next.job.prompts[0]?.state, 'created');
    next.close();
  });

  it('are retried by only one of two windows', async () => {
    const other = await new TestWindow(world).open();
    world.api.openError = down;
    await window.create(home, 'Explain');
    await world.clock.advance(20_000);
    const before = world.api.count('probe');
    await world.clock.advance(3_600_000);
    const probes = world.api.count('probe') - before;
    ok(probes <= 40, `probed ${probes} times in an hour`);
    other.close();
  });

  it('are not sent when their job was removed from the list', async () => {
    world.api.creates = [limit, wireJob('active')];
    await window.create(home, 'Explain');
    await window.store.append(window.job.key, { type: 'untracked', at: world.clock.now() });
    await world.clock.advance(3_600_000);
    strictEqual(world.api.count('create'), 1);
    strictEqual(world.clock.pending, 0);
  });

  it('are not sent when another window sent them while this one was still probing', async () => {
    world.api.creates = [down];
    await window.create(home, 'Explain');
    const other = await new TestWindow(world).open();
    const [prompt] = other.job.prompts;
    ok(prompt !== undefined);
    let probed: () => void = () => undefined;
    world.api.probing = new Promise<void>((resolve) => (probed = resolve));
    window.engine.loop.noteAnswer(home.service);
    world.api.creates = [new ServiceError('unreachable', { effect: 'unknown', code: 'ECONNRESET' })];
    await other.sendAgain(other.job, prompt);
    await world.clock.advance(0);
    strictEqual(jobStatus(window.job), 'unconfirmed');
    probed();
    await world.clock.advance(600_000);
    strictEqual(world.api.count('create'), 2);
    other.close();
  });

  it('can be sent immediately by the user', async () => {
    world.api.creates = [limit, wireJob('active')];
    const { job, prompt } = await window.create(home, 'Explain');
    strictEqual((await window.sendAgain(job, prompt)).prompt.state, 'created');
    await world.clock.advance(200_000);
    strictEqual(world.api.count('create'), 2);
  });

  it('reject an edit that comes too late, without saving it', async () => {
    world.api.creates = [new Promise(() => undefined)];
    void window.create(home, 'Explain');
    await world.clock.advance(0);
    const [prompt] = window.job.prompts;
    ok(prompt !== undefined);
    const late = window.outbox.sendAgain(window.job, prompt, 'Explain retries');
    await late.then(
      () => ok(false, 'it was taken'),
      (error: unknown) => ok(error instanceof PromptNotEditableError),
    );
  });

  describe('waiting for a key', () => {
    it('pause all sends to the service and resume with the new key', async () => {
      world.api.creates = [badKey];
      await window.create(home, 'one');
      await world.clock.advance(10);
      await window.create(home, 'two');
      await world.clock.advance(86_400_000);
      deepStrictEqual(created(), ['create one']);
      deepStrictEqual(window.store.jobs.map(jobStatus), ['rejected', 'rejected']);
      world.api.creates = [wireJob('active'), wireJob('active', { id: 'j2' })];
      window.engine.keyChanged(home.service);
      await world.clock.advance(1000);
      deepStrictEqual(created(), ['create one', 'create one', 'create two']);
      deepStrictEqual(window.store.jobs.map(jobStatus), ['active', 'active']);
    });

    it('are not sent when the key of another service changes', async () => {
      world.api.creates = [badKey];
      await window.create(home, 'one');
      window.engine.keyChanged('https://other.example');
      await world.clock.advance(86_400_000);
      strictEqual(world.api.count('create'), 1);
    });

    it('pause again when the new key is also rejected', async () => {
      world.api.creates = [badKey];
      await window.create(home, 'one');
      window.engine.keyChanged(home.service);
      await world.clock.advance(86_400_000);
      strictEqual(world.api.count('create'), 2);
    });
  });

  describe('waiting for the hourly limit', () => {
    beforeEach(async () => {
      window.close();
      world.budget = new MemoryQuota(3);
      window = await new TestWindow(world).open();
      world.api.creates = [wireJob('completed')];
    });

    it('are counted across all windows, keep their order, and survive a restart', async () => {
      const other = await new TestWindow(world).open();
      for (const [index, prompt] of ['1', '2', '3', '4', '5', '6', '7'].entries()) {
        await (index % 2 === 0 ? window : other).create(home, prompt);
        await world.clock.advance(10);
      }
      deepStrictEqual(created(), ['create 1', 'create 2', 'create 3']);
      window.close();
      other.close();
      const next = await new TestWindow(world).open();
      await world.clock.advance(3_600_000);
      deepStrictEqual(created().slice(3), ['create 4', 'create 5', 'create 6']);
      await world.clock.advance(3_700_000);
      deepStrictEqual(created().slice(6), ['create 7']);
      next.close();
    });

    it('are counted per project and operation, excluding prompts that were never sent', async () => {
      world.api.creates = [down];
      await window.create(home, 'never sent');
      world.api.creates = [wireJob('completed')];
      await world.clock.advance(10_000);
      for (const prompt of ['2', '3']) {
        await window.create(home, prompt);
      }
      strictEqual(window.store.jobs.filter((job) => job.snapshot !== undefined).length, 3);
      await window.create({ ...home, projectId: 'p2' }, 'other project');
      world.api.messages = [wireJob('completed')];
      await window.followUp(window.job, 'Add an example');
      strictEqual(world.api.count('message'), 1);
      strictEqual(window.store.jobs.filter((job) => job.snapshot !== undefined).length, 4);
    });
  });

  it('have their outcome written as soon as the disk allows it', async () => {
    let answer: () => void = () => undefined;
    world.api.creates = [new Promise((resolve) => (answer = () => resolve(wireJob('active'))))];
    const sending = window.create(home, 'Explain');
    await world.clock.advance(0);
    world.records.writeError = new Error('ENOSPC');
    answer();
    strictEqual((await sending).prompt.state, 'created');
    const types = (): string[] => (world.records.folders.get(window.job.key) ?? []).map(({ event }) => event.type);
    deepStrictEqual(types(), ['send', 'claimed']);
    await world.clock.advance(60_000);
    world.records.writeError = undefined;
    await world.clock.advance(60_000);
    strictEqual(types().includes('created'), true);
  });
});
