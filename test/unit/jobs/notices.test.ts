import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { GATHER_MS } from '../../../src/jobs/notices';
import { toSnapshot } from '../../../src/jobs/snapshot';
import { type Shared, WindowOfJobs, home, shared, wireJob } from '../../support/windowOfJobs';

describe('Notices', () => {
  let world: Shared;
  let window: WindowOfJobs;

  beforeEach(async () => {
    world = shared();
    window = await new WindowOfJobs(world).open();
    world.api.creates = [wireJob('active')];
    world.api.retrieves = [wireJob('completed', { prLink: 'https://github.com/o/r/pull/1' })];
  });
  afterEach(() => window.close());

  const settle = (): Promise<void> => world.clock.advance(5000 + GATHER_MS);

  it('tells an end once and leaves it unseen', async () => {
    await window.create(home, 'Explain');
    await settle();
    deepStrictEqual(window.told, [[window.job.key]]);
    strictEqual(window.job.unseen, true);
    await world.clock.advance(3_600_000);
    strictEqual(window.told.length, 1);
  });

  it('tells several ends at once together', async () => {
    await window.create(home, 'Explain a');
    await window.create(home, 'Explain b');
    await settle();
    deepStrictEqual(
      window.told.map((jobs) => jobs.length),
      [2],
    );
  });

  it('tells in one window only', async () => {
    await window.create(home, 'Explain');
    const other = await new WindowOfJobs(world).open();
    await settle();
    strictEqual(window.told.length + other.told.length, 1);
    other.close();
  });

  it('is silent about what the records held at start-up', async () => {
    await window.create(home, 'Explain');
    await settle();
    window.close();
    const next = await new WindowOfJobs(world).open();
    await settle();
    deepStrictEqual(next.told, []);
    strictEqual(next.job.unseen, true, 'the badge stays');
    next.close();
  });

  it('is silent about a job that was over when it was first met', async () => {
    await window.store.add({ type: 'tracked', at: world.clock.now(), home, job: toSnapshot(wireJob('completed')) });
    await settle();
    deepStrictEqual(window.told, []);
    strictEqual(window.job.unseen, false);
    strictEqual(world.api.count('retrieve'), 0);
  });

  it('tells all ends that came while no window was open in one notice', async () => {
    world.api.retrieves = [wireJob('active')];
    await window.create(home, 'Explain a');
    await window.create(home, 'Explain b');
    window.close();
    world.api.retrieves = [wireJob('completed'), wireJob('failed')];
    const next = await new WindowOfJobs(world).open();
    await settle();
    deepStrictEqual(
      next.told.map((jobs) => jobs.length),
      [2],
    );
    next.close();
  });

  it('tells the end of a follow-up again', async () => {
    await window.create(home, 'Explain');
    await settle();
    world.api.messages = [wireJob('active')];
    await window.followUp(window.job, 'Add an example');
    await settle();
    strictEqual(window.told.length, 2);
  });

  it('tells the other ends when one can’t be claimed', async () => {
    await window.create(home, 'Explain a');
    await window.create(home, 'Explain b');
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

  it('tells nothing after its window was closed', async () => {
    const next = await new WindowOfJobs(world).open();
    await next.create(home, 'Explain');
    window.close();
    await world.clock.advance(2100);
    strictEqual(next.job.unseen, true);
    next.close();
    await settle();
    deepStrictEqual(next.told, []);
  });

  it('leaves an end to the other windows while the user interface of this one does not answer', async () => {
    const ghost = await new WindowOfJobs(world).open();
    ghost.userInterface = new Promise(() => undefined);
    await window.create(home, 'Explain');
    await settle();
    deepStrictEqual([window.told.length, ghost.told.length], [1, 0]);
    ghost.close();
  });

  it('is told once, and by no window that opens after it', async () => {
    const other = await new WindowOfJobs(world).open();
    await window.create(home, 'Explain');
    await settle();
    const third = await new WindowOfJobs(world).open();
    await settle();
    deepStrictEqual(
      [window, other, third].map((each) => each.told.length).reduce((sum, told) => sum + told, 0),
      1,
    );
    deepStrictEqual(third.told, []);
    other.close();
    third.close();
  });

  it('waits while nobody looks, and tells all as one when the person comes back', async () => {
    window.look(false);
    await window.create(home, 'Explain a');
    await window.create(home, 'Explain b');
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

  it('goes on waiting when the person only passes by', async () => {
    window.look(false);
    await window.create(home, 'Explain');
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

  it('leaves out what was seen in another window meanwhile', async () => {
    const other = await new WindowOfJobs(world).open();
    window.look(false);
    other.look(false);
    await window.create(home, 'Explain a');
    await window.create(home, 'Explain b');
    await settle();
    const [first, second] = window.store.jobs;
    await other.store.append(first?.key ?? '', { type: 'seen', at: world.clock.now() });
    window.look(true);
    await world.clock.advance(GATHER_MS);
    deepStrictEqual(window.told, [[second?.key]]);
    other.close();
  });

  it('looks once more at what it is about to tell', async () => {
    window.look(false);
    await window.create(home, 'Explain');
    await settle();
    // Another window, of which this one has not heard yet, shows the end at this moment.
    const folder = world.records.folders.get(window.job.key) ?? [];
    folder.push({ stamp: 'zzzzzzzzz-other', event: { type: 'seen', at: world.clock.now() } });
    window.look(true);
    await world.clock.advance(GATHER_MS);
    strictEqual(window.told.length, 0);
  });

  it('is told in the window that the person comes back to, whichever saw it end', async () => {
    const other = await new WindowOfJobs(world).open();
    window.look(false);
    other.look(false);
    await window.create(home, 'Explain');
    await settle();
    other.look(true);
    await world.clock.advance(GATHER_MS);
    other.look(false);
    window.look(true);
    await world.clock.advance(GATHER_MS);
    deepStrictEqual([other.told.length, window.told.length], [1, 0]);
    other.close();
  });

  it('is told by a window that opens when all that saw it were closed before anybody looked', async () => {
    window.look(false);
    await window.create(home, 'Explain a');
    await window.create(home, 'Explain b');
    await settle();
    window.close();
    const next = await new WindowOfJobs(world).open();
    await world.clock.advance(GATHER_MS);
    deepStrictEqual(
      next.told.map((jobs) => jobs.length),
      [2],
    );
    next.close();
  });

  it('says nothing of a job that was taken off the list', async () => {
    await window.create(home, 'Explain');
    await window.store.append(window.job.key, { type: 'untracked', at: world.clock.now() });
    await settle();
    strictEqual(window.told.length, 0);
  });
});
