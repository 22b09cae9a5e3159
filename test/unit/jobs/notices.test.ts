import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { GATHER_MS, PAUSE_MS } from '../../../src/jobs/notices';
import { toSnapshot } from '../../../src/jobs/snapshot';
import { type SharedPorts, TestWindow, location, createSharedPorts, wireJob } from '../../support/testWindow';

// That each end is told once, in one window, to who comes back, is proved in test/faults/simulation.
describe('Notices', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
    world.api.creates = [wireJob('active')];
    world.api.retrieves = [wireJob('completed', { prLink: 'https://github.com/o/r/pull/1' })];
  });
  afterEach(() => window.close());

  const settle = (): Promise<void> => world.clock.advance(5000 + GATHER_MS);

  it('shows an end once and leaves it unseen', async () => {
    await window.create(location, 'Explain');
    await settle();
    deepStrictEqual(window.told, [[window.job.key]]);
    strictEqual(window.job.unseen, true);
    await world.clock.advance(3_600_000);
    strictEqual(window.told.length, 1);
    world.api.messages = [wireJob('active')];
    await window.followUp(window.job, 'Add an example');
    await settle();
    strictEqual(window.told.length, 2, 'the end of the follow-up');
  });

  it('combines all ends within ten seconds after a notice', async () => {
    await window.create(location, 'Explain a');
    await settle();
    await window.create(location, 'Explain b');
    await world.clock.advance(2000);
    await window.create(location, 'Explain c');
    await world.clock.advance(PAUSE_MS);
    deepStrictEqual(
      window.told.map((jobs) => jobs.length),
      [1, 2],
    );
    await world.clock.advance(PAUSE_MS);
    await window.create(location, 'Explain d');
    await settle();
    strictEqual(window.told.length, 3, 'shown at once after the pause');
  });

  it('shows nothing for ends that were already recorded at startup', async () => {
    await window.create(location, 'Explain');
    await settle();
    window.close();
    const next = await new TestWindow(world).open();
    await settle();
    deepStrictEqual(next.told, []);
    strictEqual(next.job.unseen, true, 'the badge stays');
    next.close();
  });

  it('shows nothing for a job that had already ended when it was added', async () => {
    await window.store.add({ type: 'tracked', at: world.clock.now(), location, job: toSnapshot(wireJob('completed')) });
    await settle();
    deepStrictEqual(window.told, []);
    strictEqual(window.job.unseen, false);
    strictEqual(world.api.count('retrieve'), 0);
  });

  it('combines all ends that happened while no window was open', async () => {
    world.api.retrieves = [wireJob('active')];
    await window.create(location, 'Explain a');
    await window.create(location, 'Explain b');
    window.close();
    world.api.retrieves = [wireJob('completed'), wireJob('failed')];
    const next = await new TestWindow(world).open();
    await settle();
    deepStrictEqual(
      next.told.map((jobs) => jobs.length),
      [2],
    );
    next.close();
  });

  it('shows the other ends when claiming one of them fails', async () => {
    await window.create(location, 'Explain a');
    await window.create(location, 'Explain b');
    const claim = world.records.claim.bind(world.records);
    let failed = 0;
    world.records.claim = (key, name) =>
      name.startsWith('notice-') && failed++ === 0 ? Promise.reject(new Error('EIO')) : claim(key, name);
    await settle();
    deepStrictEqual(
      window.told.map((jobs) => jobs.length),
      [1],
    );
  });

  it('shows nothing after its window closed', async () => {
    const next = await new TestWindow(world).open();
    await next.create(location, 'Explain');
    window.close();
    await world.clock.advance(2100);
    strictEqual(next.job.unseen, true);
    next.close();
    await settle();
    deepStrictEqual(next.told, []);
  });

  it('waits while no window has focus and combines all ends when the user returns', async () => {
    window.look(false);
    await window.create(location, 'Explain a');
    await window.create(location, 'Explain b');
    await world.clock.advance(86_400_000);
    strictEqual(window.told.length, 0);
    window.look(true);
    await world.clock.advance(GATHER_MS);
    deepStrictEqual(
      window.told.map((jobs) => jobs.length),
      [2],
    );
    window.look(false);
    window.look(true);
    await world.clock.advance(3_600_000);
    strictEqual(window.told.length, 1, 'nothing is repeated');
  });

  it('keeps waiting when the user returns only briefly', async () => {
    window.look(false);
    await window.create(location, 'Explain');
    await settle();
    window.look(true);
    await world.clock.advance(GATHER_MS / 2);
    window.look(false);
    await world.clock.advance(86_400_000);
    strictEqual(window.told.length, 0);
    window.look(true);
    await world.clock.advance(GATHER_MS);
    strictEqual(window.told.length, 1);
  });

  it('omits ends that were seen in another window in the meantime', async () => {
    const other = await new TestWindow(world).open();
    window.look(false);
    other.look(false);
    await window.create(location, 'Explain a');
    await window.create(location, 'Explain b');
    await settle();
    const [first, second] = window.store.jobs;
    await other.store.append(first?.key ?? '', { type: 'seen', at: world.clock.now() });
    window.look(true);
    await world.clock.advance(GATHER_MS);
    deepStrictEqual(window.told, [[second?.key]]);
    other.close();
  });

  it('rereads the records just before it shows an end', async () => {
    window.look(false);
    await window.create(location, 'Explain');
    await settle();
    // Another window shows the end now, and this window has not been notified yet.
    const folder = world.records.folders.get(window.job.key) ?? [];
    folder.push({ stamp: 'zzzzzzzzz-other', event: { type: 'seen', at: world.clock.now() } });
    window.look(true);
    await world.clock.advance(GATHER_MS);
    strictEqual(window.told.length, 0);
  });

  it('shows nothing for a job that was removed from the list', async () => {
    await window.create(location, 'Explain');
    await window.store.append(window.job.key, { type: 'untracked', at: world.clock.now() });
    await settle();
    strictEqual(window.told.length, 0);
  });
});
