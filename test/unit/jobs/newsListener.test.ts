import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { ServiceLocation } from '../../../src/jobs/events';
import { jobHistory } from '../../../src/jobs/jobHistory';
import { jobStatus } from '../../../src/jobs/jobStatus';
import { HEARTBEAT_MS } from '../../../src/jobs/leaderElection';
import { PAUSE_MS } from '../../../src/jobs/notices';
import { ServiceError } from '../../../src/protocol/errors';
import { location, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

const local: ServiceLocation = { service: 'local', projectId: 'p1' };

describe('events of the local service', () => {
  let world: SharedPorts;
  let window: TestWindow;
  const opened: TestWindow[] = [];
  const open = async (): Promise<TestWindow> => {
    const made = await new TestWindow(world).open();
    opened.push(made);
    return made;
  };

  beforeEach(async () => {
    world = createSharedPorts();
    world.api.creates = [wireJob('active', { turn: 1 })];
    world.api.retrieves = [wireJob('active', { turn: 1 })];
    world.news.jobs = new Map();
    window = await open();
  });
  afterEach(() => opened.splice(0).forEach((each) => each.close()));

  /** Starts a job and waits until this window receives its events. */
  const run = async (): Promise<void> => {
    await window.create(local, 'Explain');
    world.news.jobs?.set('j1', wireJob('active', { turn: 1 }));
    void window.engine.lookNow();
    await world.clock.advance(1000);
    strictEqual(world.news.listening, 1);
  };
  const end = async (turn = 1): Promise<void> => {
    world.api.retrieves = [wireJob('completed', { turn })];
    world.news.tell(wireJob('completed', { turn }));
    await world.clock.advance(5000);
    strictEqual(jobStatus(window.job), 'completed');
  };
  /** Simulates a follow-up sent by another client. */
  const followUp = async (turn: number): Promise<void> => {
    world.api.retrieves = [wireJob('active', { turn })];
    world.news.tell(wireJob('active', { turn }));
    await world.clock.advance(250);
  };

  it('report the end of a run within a second, with hardly any polling before that', async () => {
    await run();
    const before = world.api.count('retrieve');
    await world.clock.advance(25_000);
    strictEqual(world.api.count('retrieve'), before, 'hardly anything is polled');
    world.api.retrieves = [wireJob('completed', { turn: 1 })];
    world.news.tell(wireJob('completed', { turn: 1 }));
    await world.clock.advance(1000);
    deepStrictEqual(window.told, [[window.job.key]]);
  });

  it('record a follow-up sent elsewhere and report its end', async () => {
    await run();
    await end();
    await followUp(2);
    strictEqual(jobStatus(window.job), 'active');
    strictEqual(window.job.endedAt, undefined);
    await end(2);
    await world.clock.advance(PAUSE_MS);
    strictEqual(window.told.length, 2);
    const { runs } = jobHistory(window.job, window.store.eventsOf(window.job.key));
    deepStrictEqual(
      runs.map(({ origin, end }) => [origin, end?.status]),
      [
        [undefined, 'completed'],
        ['resumed', 'completed'],
      ],
    );
    const again = await open();
    strictEqual(again.job.run, window.job.run, 'it is in the records');
  });

  it('report once a follow-up that started and ended while no window listened', async () => {
    await run();
    await end();
    world.news.end();
    world.news.jobs = undefined;
    await world.clock.advance(60_000);
    world.news.jobs = new Map([['j1', wireJob('completed', { turn: 3, prLink: 'https://github.com/o/r/pull/1' })]]);
    const events = window.store.eventsOf(window.job.key).length;
    void window.engine.lookNow();
    void window.engine.lookNow();
    await world.clock.advance(5000);
    strictEqual(window.store.eventsOf(window.job.key).length, events + 1);
    strictEqual(window.job.snapshot?.prLink, 'https://github.com/o/r/pull/1');
    strictEqual(window.told.length, 2);
  });

  it('do not record our own follow-up as one sent elsewhere', async () => {
    await run();
    await end();
    let answer: (job: ReturnType<typeof wireJob>) => void = () => undefined;
    world.api.messages = [new Promise((resolve) => (answer = resolve))];
    const sent = window.followUp(window.job, 'More');
    await world.clock.advance(100);
    await followUp(2);
    answer(wireJob('active', { turn: 2 }));
    await sent;
    await end(2);
    const types = window.store.eventsOf(window.job.key).map(({ event }) => event.type);
    ok(!types.includes('resumed'), types.join(' '));
  });

  it('rely on the newer status when the service does not count messages', async () => {
    world.api.creates = [wireJob('active')];
    await window.create(local, 'Explain');
    world.api.retrieves = [wireJob('completed')];
    world.news.jobs?.set('j1', wireJob('completed'));
    await world.clock.advance(10_000);
    world.news.tell(wireJob('completed'));
    await world.clock.advance(1000);
    strictEqual(window.job.endedAt !== undefined, true);
    world.api.retrieves = [wireJob('active')];
    world.news.tell(wireJob('active'));
    await world.clock.advance(1000);
    strictEqual(jobStatus(window.job), 'active');
  });

  it('say at once that a usage limit has put a run on hold, although it has just begun', async () => {
    await run();
    const surroundings = { resumesAt: '2030-01-02T03:04:05.000Z' };
    world.api.retrieves = [wireJob('active', { turn: 1, surroundings })];
    world.news.tell(wireJob('active', { turn: 1, surroundings }));
    await world.clock.advance(250);
    deepStrictEqual(window.job.snapshot?.surroundings, surroundings);
  });

  it('keep an archived job ended and seen', async () => {
    await run();
    await end();
    await window.store.append(window.job.key, { type: 'seen', at: world.clock.now() });
    const { endedAt } = window.job;
    world.news.tell(wireJob('archived', { turn: 1 }));
    await world.clock.advance(5000);
    deepStrictEqual([jobStatus(window.job), window.job.unseen, window.job.endedAt], ['archived', false, endedAt]);
    strictEqual(window.told.length, 1);
  });

  it('record what the user has decided elsewhere about the work of an ended job, and keep it seen', async () => {
    await run();
    await end();
    await window.store.append(window.job.key, { type: 'seen', at: world.clock.now() });
    const found: unknown[] = [];
    for (const review of ['merged', null, 'closed']) {
      world.news.tell(wireJob('completed', { turn: 1, review }));
      await world.clock.advance(5000);
      const { runs } = jobHistory(window.job, window.store.eventsOf(window.job.key));
      found.push([window.job.snapshot?.review, runs.map((each) => each.review?.state), window.job.unseen]);
    }
    deepStrictEqual(found, [
      ['merged', ['merged'], false],
      [undefined, [undefined], false],
      ['closed', ['closed'], false],
    ]);
    await followUp(2);
    strictEqual(window.job.snapshot?.review, undefined);
    strictEqual(window.told.length, 1);
  });

  it('record what others have done around an ended job, which makes it neither newer nor unread', async () => {
    await run();
    await end();
    await window.store.append(window.job.key, { type: 'seen', at: world.clock.now() });
    const { updatedAt } = window.job;
    const link = 'https://git.example/o/r/pulls/1';
    const found: unknown[] = [];
    for (const state of ['open', 'merged'] as const) {
      const surroundings = { pullRequest: { url: link, state } };
      world.news.tell(wireJob('completed', { turn: 1, surroundings }));
      await world.clock.advance(5000);
      const { runs } = jobHistory(window.job, window.store.eventsOf(window.job.key));
      found.push([window.job.snapshot?.surroundings, runs.map((each) => each.review?.state)]);
    }
    deepStrictEqual(found, [
      [{ pullRequest: { url: link, state: 'open' } }, [undefined]],
      [{ pullRequest: { url: link, state: 'merged' } }, ['merged']],
    ]);
    deepStrictEqual([window.job.updatedAt, window.job.unseen, window.told.length], [updatedAt, false, 1]);
  });

  it('are not needed for a team’s service, whose list tells when the user looks', async () => {
    await window.create(location, 'Explain');
    world.api.retrieves = [wireJob('completed', { turn: 1 })];
    await world.clock.advance(60_000);
    const surroundings = { pullRequest: { url: 'https://git.example/o/r/pulls/1', state: 'merged' as const } };
    world.news.jobs = new Map([['j1', wireJob('completed', { turn: 1, surroundings })]]);
    await window.engine.lookNow();
    deepStrictEqual([window.job.snapshot?.surroundings, world.news.count('listen')], [surroundings, 0]);
  });

  it('use one connection for all windows, which another window takes over', async () => {
    await run();
    const other = await open();
    void other.engine.lookNow();
    await world.clock.advance(3 * HEARTBEAT_MS);
    strictEqual(world.news.listening, 1);
    window.close();
    await world.clock.advance(4 * HEARTBEAT_MS);
    strictEqual(world.news.listening, 1);
    strictEqual(other.job.key, window.job.key);
  });

  it('resume polling and reconnect after a broken connection, then fetch what was missed', async () => {
    await run();
    const [polls, lists] = [world.api.count('retrieve'), world.news.count('list')];
    world.news.end(new ServiceError('unreachable', { effect: 'none' }));
    await world.clock.advance(2000);
    ok(world.api.count('retrieve') > polls, 'the job is asked for at once');
    strictEqual(world.news.listening, 1);
    await end();
    world.news.end(new ServiceError('timeout', { effect: 'none' }));
    await world.clock.advance(2000);
    ok(world.news.count('list') > lists);
  });

  it('reconnect less and less often to a service that closes every connection immediately', async () => {
    await run();
    world.news.closesAtOnce = true;
    world.news.end(new ServiceError('unreachable', { effect: 'none' }));
    const before = world.news.count('listen');
    await world.clock.advance(60_000);
    const tries = world.news.count('listen') - before;
    ok(tries > 2 && tries < 20, `${tries} connections in a minute`);
  });

  it('leave no timer and no connection when the service has stopped and no job runs', async () => {
    await run();
    await end();
    world.news.jobs = undefined;
    world.news.end();
    await world.clock.advance(10_000);
    const timers = (): number => world.clock.pending;
    deepStrictEqual([timers(), world.news.listening], [0, 0]);
  });

  it('are not requested for hosted jobs', async () => {
    await window.create(location, 'Explain');
    void window.engine.lookNow();
    await world.clock.advance(60_000);
    strictEqual(world.news.calls.length, 0);
  });
});
