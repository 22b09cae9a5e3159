import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { jobStatus } from '../../../src/jobs/jobStatus';
import { AGREEMENT_MS } from '../../../src/jobs/snapshot';
import { JITTER, MAX_POLL_MS, MIN_POLL_MS, nextPollDelay, getRunStart } from '../../../src/jobs/pollSchedule';
import { ServiceError } from '../../../src/protocol/errors';
import type { WireJob } from '../../../src/protocol/job';
import { ManualClock } from '../../support/manualClock';
import { badKey, down } from '../../support/scriptedJobApi';
import { location, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';
import { snapshot, trackedJob } from '../../support/trackedJob';

const link = 'https://github.com/o/r/pull/1';

describe('Poller', () => {
  let world: SharedPorts;
  let window: TestWindow;

  beforeEach(async () => {
    world = createSharedPorts();
    window = await new TestWindow(world).open();
    world.api.creates = [wireJob('active')];
    world.api.retrieves = [wireJob('active')];
  });
  afterEach(() => window.close());

  it('has no timer while no job is running', async () => {
    const pending = (): number => world.clock.pending;
    strictEqual(pending(), 0);
    await window.create(location, 'Explain');
    ok(pending() > 0);
    world.api.retrieves = [wireJob('completed')];
    await world.clock.advance(10_000);
    strictEqual(pending(), 0);
  });

  it('polls, and sends what waits, while time goes on during each calculation', async () => {
    const { clock } = world;
    const monotonic = clock.monotonic.bind(clock);
    let calls = 0;
    clock.monotonic = () => monotonic() + calls++ * 1e-6;
    await window.create(location, 'Explain');
    world.api.messages = [down, wireJob('active')];
    await window.followUp(window.job, 'Translate');
    await clock.advance(20_000);
    ok(world.api.count('retrieve') > 3);
    strictEqual(window.job.prompts[1]?.state, 'created');
  });

  const ends: [string, WireJob][] = [
    ...['completed', 'failed', 'archived'].map((end): [string, WireJob] => [end, wireJob(end, { prLink: link })]),
    ...['completed', 'active'].map((word): [string, WireJob] => [
      'archived',
      wireJob(word, { archivedAt: '2026-01-01T00:00:00Z' }),
    ]),
  ];
  for (const [end, answer] of ends) {
    it(`stops when a job with status ${answer.status} is ${end}`, async () => {
      await window.create(location, 'Explain');
      world.api.retrieves = [wireJob('active'), answer];
      await world.clock.advance(3_600_000);
      deepStrictEqual([world.api.count('retrieve'), jobStatus(window.job)], [2, end]);
    });
  }

  it('shows an unknown status unchanged and keeps polling', async () => {
    await window.create(location, 'Explain');
    world.api.retrieves = [wireJob('queued_for_review')];
    await world.clock.advance(600_000);
    strictEqual(jobStatus(window.job), 'unknown');
    strictEqual(window.job.snapshot?.status, 'queued_for_review');
    ok(world.api.count('retrieve') > 10);
  });

  it('polls about 40 times in the first 10 minutes and at most 60 times an hour after 45 minutes', async () => {
    await window.create(location, 'Explain');
    await world.clock.advance(600_000);
    const early = world.api.count('retrieve');
    ok(early > 25 && early < 55, `asked ${early} times`);
    await world.clock.advance(35 * 60_000);
    const before = world.api.count('retrieve');
    await world.clock.advance(3_600_000);
    const late = world.api.count('retrieve') - before;
    ok(late >= 55 && late <= 60, `asked ${late} times`);
  });

  it('writes a change at most every five seconds, but the end immediately', async () => {
    await window.create(location, 'Explain');
    let polls = 0;
    world.api.retrieve = (_location, id) => Promise.resolve(wireJob('active', { id, model: `model ${polls++}` }));
    await world.clock.advance(20_000);
    const changes = window.store.eventsOf(window.job.key).filter(({ event }) => event.type === 'changed');
    const times = changes.map(({ event }) => event.at);
    ok(polls > times.length && times.length > 1, `${times.length} of ${polls} changes were written`);
    ok(times.every((at, index) => index === 0 || at - (times[index - 1] ?? 0) >= 5000));
    world.api.retrieve = (_location, id) => Promise.resolve(wireJob('completed', { id, model: 'last' }));
    await window.poller.pollNow();
    await window.poller.pollNow();
    strictEqual(window.job.snapshot?.status, 'completed');
  });

  it('has at most one request per job in flight', async () => {
    await window.create(location, 'Explain');
    world.api.retrieves = [new Promise<WireJob>(() => undefined)];
    void window.poller.pollNow();
    void window.poller.pollNow();
    await world.clock.advance(600_000);
    strictEqual(world.api.count('retrieve'), 1);
  });

  it('keeps the last known state when a poll fails and reports its age', async () => {
    await window.create(location, 'Explain');
    await world.clock.advance(2500);
    const answered = world.clock.now();
    world.api.retrieves = [down];
    await world.clock.advance(60_000);
    strictEqual(jobStatus(window.job), 'active');
    const health = window.poller.health(window.job.key);
    strictEqual(health?.failure, 'unreachable');
    ok(health.lastSuccessAt !== undefined && health.lastSuccessAt <= answered);
  });

  it('shares poll failures and recoveries with windows that do not poll', async () => {
    const other = await new TestWindow(world).open();
    await window.create(location, 'Explain');
    await world.clock.advance(20_000);
    const told = (): unknown[] => [window, other].map((each) => each.poller.health(each.job.key)?.failure);
    deepStrictEqual(told(), [undefined, undefined]);
    world.api.retrieves = [down];
    await world.clock.advance(60_000);
    deepStrictEqual(told(), ['unreachable', 'unreachable']);
    world.api.retrieves = [wireJob('active')];
    await world.clock.advance(120_000);
    deepStrictEqual(told(), [undefined, undefined]);
    other.close();
  });

  it('polls all waiting jobs as soon as one poll succeeds', async () => {
    for (const prompt of ['Explain a', 'Explain b', 'Explain c']) {
      await window.create(location, prompt);
    }
    world.api.retrieves = [down];
    await world.clock.advance(900_000);
    world.api.retrieves = [wireJob('active')];
    const before = world.api.count('retrieve');
    while (world.api.count('retrieve') === before) {
      await world.clock.advance(1000);
    }
    await world.clock.advance(500);
    strictEqual(world.api.count('retrieve') - before, 3);
    ok(window.store.jobs.every((job) => window.poller.health(job.key)?.failure === undefined));
  });

  it('polls a job that always fails less and less often, without delaying other jobs', async () => {
    for (let n = 0; n < 5; n++) {
      world.api.creates = [wireJob('active', { id: `j${n}` })];
      await window.create(location, `Explain ${n}`);
    }
    let asked: string[] = [];
    world.api.retrieve = async (_location, id) => {
      asked.push(id);
      if (id === 'j0') {
        throw new ServiceError('unreachable', { effect: 'unknown', status: 500 });
      }
      return wireJob('active', { id });
    };
    await world.clock.advance(3_600_000);
    asked = [];
    await world.clock.advance(600_000);
    const failing = asked.filter((id) => id === 'j0').length;
    ok(failing <= 10 && asked.length <= 80 && asked.length > 40, `${failing} of ${asked.length} requests`);
  });

  it('asks for one job only when something other than the service answers', async () => {
    for (let n = 0; n < 20; n++) {
      world.api.creates = [wireJob('active', { id: `j${n}` })];
      await window.create(location, `Explain ${n}`);
    }
    world.api.retrieves = [new ServiceError('notUnderstood', { effect: 'unknown', status: 302 })];
    const before = world.api.count('retrieve');
    await world.clock.advance(600_000);
    ok(world.api.count('retrieve') - before <= 30, `asked ${world.api.count('retrieve') - before} times`);
  });

  it('polls immediately when there is a new key', async () => {
    await window.create(location, 'Explain');
    world.api.retrieves = [badKey];
    await world.clock.advance(60_000);
    strictEqual(window.poller.health(window.job.key)?.failure, 'unauthorized');
    world.api.retrieves = [wireJob('active')];
    window.engine.keyChanged(location.service);
    await world.clock.advance(0);
    strictEqual(window.poller.health(window.job.key)?.failure, undefined);
  });

  it('polls immediately when a prompt is accepted after an outage', async () => {
    await window.create(location, 'Explain a');
    world.api.retrieves = [down];
    await world.clock.advance(3_600_000);
    world.api.retrieves = [wireJob('active')];
    const before = world.api.count('retrieve');
    await window.create(location, 'Explain b');
    await world.clock.advance(2500);
    ok(world.api.count('retrieve') - before >= 2);
  });

  it('polls no job of a service until its Retry-After has passed', async () => {
    for (const prompt of ['Explain a', 'Explain b', 'Explain c']) {
      await window.create(location, prompt);
    }
    world.api.retrieves = [new ServiceError('limit', { effect: 'refused', retryAfterMs: 600_000 }), down];
    await world.clock.advance(5000);
    const asked = world.api.count('retrieve');
    ok(asked <= 3);
    await window.poller.pollNow();
    await world.clock.advance(590_000);
    strictEqual(world.api.count('retrieve'), asked);
  });

  describe('after a follow-up', () => {
    const done = wireJob('completed', { prLink: link });

    beforeEach(async () => {
      await window.create(location, 'Explain');
      world.api.retrieves = [done];
      await world.clock.advance(5000);
      strictEqual(jobStatus(window.job), 'completed');
      await world.clock.advance(5000);
    });

    it('ignores an old end in the response and in the next two polls', async () => {
      world.api.messages = [done];
      world.api.retrieves = [done, done, wireJob('active', { prLink: link }), done];
      await window.followUp(window.job, 'Add an example');
      strictEqual(jobStatus(window.job), 'active');
      await world.clock.advance(2100);
      await world.clock.advance(2100);
      strictEqual(jobStatus(window.job), 'active');
      await world.clock.advance(60_000);
      strictEqual(jobStatus(window.job), 'completed');
      strictEqual(world.api.count('retrieve'), 1 + 4);
      deepStrictEqual(window.told.length, 2);
    });

    it('treats a changed pull request as the new end', async () => {
      world.api.messages = [done];
      world.api.retrieves = [done, wireJob('completed', { prLink: `${link}2` })];
      await window.followUp(window.job, 'Add an example');
      await world.clock.advance(7000);
      strictEqual(jobStatus(window.job), 'completed');
      strictEqual(window.job.snapshot?.prLink, `${link}2`);
    });

    it('accepts an end that polls report for a minute', async () => {
      world.api.messages = [done];
      await window.followUp(window.job, 'Add an example');
      await world.clock.advance(AGREEMENT_MS - 10_000);
      strictEqual(jobStatus(window.job), 'active');
      await world.clock.advance(30_000);
      strictEqual(jobStatus(window.job), 'completed');
      strictEqual(world.clock.pending, 0);
    });

    it('restarts the polling schedule from the beginning', async () => {
      world.api.messages = [wireJob('active', { prLink: link })];
      world.api.retrieves = [wireJob('active', { prLink: link })];
      await world.clock.advance(3_600_000);
      await window.followUp(window.job, 'Add an example');
      const before = world.api.count('retrieve');
      await world.clock.advance(7000);
      strictEqual(world.api.count('retrieve') - before, 3);
    });

    it('goes on after a poll that was in flight when the follow-up was accepted', async () => {
      let late: (job: WireJob) => void = () => undefined;
      world.api.messages = [wireJob('active', { prLink: link })];
      await window.followUp(window.job, 'One');
      world.api.retrieves = [new Promise<WireJob>((resolve) => (late = resolve)), done];
      await world.clock.advance(2500);
      await window.followUp(window.job, 'Two');
      late(wireJob('active', { prLink: link }));
      await world.clock.advance(5000);
      strictEqual(jobStatus(window.job), 'completed');
    });

    it('ignores the answer to a poll that started before the follow-up', async () => {
      let late: (job: WireJob) => void = () => undefined;
      world.api.messages = [wireJob('active', { prLink: link })];
      await window.followUp(window.job, 'One');
      world.api.retrieves = [new Promise<WireJob>((resolve) => (late = resolve)), wireJob('active', { prLink: link })];
      await world.clock.advance(2500);
      await window.followUp(window.job, 'Two');
      late(done);
      await world.clock.advance(0);
      strictEqual(jobStatus(window.job), 'active');
    });
  });
});

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const anyAge = fc.double({ min: -1e13, max: 1e13, noNaN: true });

describe('nextPollDelay', () => {
  it('grows with the square root of the seconds since the prompt', () => {
    strictEqual(nextPollDelay(0, 0), 2000);
    strictEqual(nextPollDelay(100_000, 0), 12_000);
    strictEqual(nextPollDelay(900_000, 0), 36_000);
    strictEqual(nextPollDelay(86_400_000, 0), 60_000);
    ok(nextPollDelay(100_000, 0.9) - nextPollDelay(100_000, 0.1) > 900, 'it differs for jobs of the same age');
  });

  it('stays between 2 and 60 seconds plus jitter and never shrinks as the job gets older', () => {
    fc.assert(
      fc.property(anyAge, anyAge, random, (a, b, dice) => {
        const [younger, older] = [nextPollDelay(Math.min(a, b), dice), nextPollDelay(Math.max(a, b), dice)];
        ok(MIN_POLL_MS <= younger && younger <= older && older <= MAX_POLL_MS * (1 + JITTER), `${younger}, ${older}`);
      }),
    );
  });

  it('is the maximum for a job that starts in the future because the clock was set back', () => {
    const clock = new ManualClock();
    const job = trackedJob({ acceptedAt: clock.now(), snapshot: snapshot('active') });
    clock.jump(-60_000);
    strictEqual(nextPollDelay(clock.monotonic() - getRunStart(job, clock), 0), MAX_POLL_MS);
  });
});
