import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { delay } from '../../../src/base/async';
import { report, scaled, seed, seededRandom } from '../../support/scale';
import { MemoryQuota } from '../../support/memoryStores';
import { down } from '../../support/scriptedJobApi';
import { location, type SharedPorts, createSharedPorts, TestWindow, wireJob } from '../../support/testWindow';

const HOUR = 3_600_000;

describe('a client on a simulated clock', () => {
  let world: SharedPorts;
  let windows: TestWindow[];

  beforeEach(() => {
    world = createSharedPorts();
    world.api.creates = [wireJob('active')];
    world.api.retrieves = [wireJob('active')];
    windows = [];
  });
  afterEach(() => windows.forEach((window) => window.close()));

  async function open(): Promise<TestWindow> {
    const window = await new TestWindow(world).open();
    windows.push(window);
    return window;
  }

  async function requestsDuring(ms: number): Promise<number> {
    const before = world.api.count('retrieve');
    await world.clock.advance(ms);
    return world.api.count('retrieve') - before;
  }

  it('polls at most 30 times in the first ten minutes of an outage with 20 jobs, and notices its end within five', async function () {
    this.timeout(600_000);
    let [most, slowest] = [0, 0];
    const outages = scaled(8, 300);
    for (let outage = 0; outage < outages; outage++) {
      world = createSharedPorts();
      world.random = seededRandom(seed + outage);
      world.api.creates = [wireJob('active')];
      world.api.retrieves = [wireJob('active')];
      const window = await open();
      for (let n = 0; n < 20; n++) {
        await window.create(location, `Explain ${n}`);
      }
      await world.clock.advance(60_000);
      world.api.retrieves = [down];
      most = Math.max(most, await requestsDuring(600_000));
      await world.clock.advance(3 * HOUR);
      world.api.retrieves = [wireJob('active')];
      const back = world.clock.monotonic();
      while (window.store.jobs.some((job) => window.poller.health(job.key)?.failure !== undefined)) {
        await world.clock.advance(1000);
      }
      slowest = Math.max(slowest, world.clock.monotonic() - back);
      window.close();
    }
    ok(most <= 30, `asked ${most} times`);
    ok(slowest <= 300_000 + 6000, `took ${slowest} ms`);
    const figure = `at most ${most} requests in 10 minutes; recovery seen within ${Math.ceil(slowest / 1000)} s`;
    report({ promise: 'C4', what: `${outages} outages of 3 hours with 20 running jobs`, figure });
  });

  it('sends 100 of 300 follow-ups from two windows within the hour, and the other 200 later and in order', async () => {
    world.budget = new MemoryQuota(100);
    world.api.messages = [wireJob('completed')];
    world.api.retrieves = [wireJob('completed')];
    const [one, two] = [await open(), await open()];
    await one.create(location, 'Explain');
    const prompts = Array.from({ length: 300 }, (_, n) => `follow-up ${String(n).padStart(3, '0')}`);
    for (const [n, prompt] of prompts.entries()) {
      const window = n % 2 === 0 ? one : two;
      await window.followUp(window.job, prompt);
      await world.clock.advance(5);
    }
    const sent = (): string[] =>
      world.api.calls.filter((call) => call.startsWith('message')).map((call) => call.slice('message j1 '.length));
    strictEqual(sent().length, 100);
    await world.clock.advance(3 * HOUR);
    deepStrictEqual(sent(), prompts);
    report({ promise: 'C5', what: '2 windows × 150 follow-ups', figure: '100 sent, 200 later in order, 0 lost' });
  });

  it('polls with two windows hardly more than with one', async () => {
    const requests: number[] = [];
    for (const count of [1, 2]) {
      world = createSharedPorts();
      world.api.creates = [wireJob('active')];
      world.api.retrieves = [wireJob('active')];
      const opened = [];
      for (let n = 0; n < count; n++) {
        opened.push(await open());
      }
      const before = world.api.count('retrieve');
      await opened[0]?.create(location, 'Explain');
      await world.clock.advance(24 * HOUR);
      requests.push(world.api.count('retrieve') - before);
      opened.forEach((window) => window.close());
    }
    const [alone = 0, together = 0] = requests;
    ok(together <= alone * 1.1, `${together} requests with two windows, ${alone} with one`);
    const figure = `${together} requests against ${alone}: ${(together / alone).toFixed(3)} ×`;
    report({ promise: 'C6', what: '24 hours, one running job, two windows', figure });
  });

  it('polls 1,000 active jobs at most four at once, evenly spaced and each in turn', async function () {
    world.budget = new MemoryQuota(1000);
    const window = await open();
    world.api.creates = Array.from({ length: 1000 }, (_, n) => wireJob('active', { id: `j${n}` }));
    for (let n = 0; n < 1000; n++) {
      await window.create(location, `Explain ${n}`);
    }
    const starts: number[] = [];
    const asked = new Map<string, number>();
    let [underWay, most] = [0, 0];
    world.api.retrieve = async (_location, id) => {
      starts.push(world.clock.monotonic());
      asked.set(id, (asked.get(id) ?? 0) + 1);
      most = Math.max(most, ++underWay);
      await delay(world.clock, 900);
      underWay -= 1;
      return wireJob('active', { id });
    };
    await world.clock.advance(800_000);
    ok(most <= 4, `${most} at once`);
    const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? NaN));
    ok(Math.min(...gaps) >= 249.9 && Math.max(...gaps) < 1000, `${Math.min(...gaps)} to ${Math.max(...gaps)} ms apart`);
    const times = [...asked.values()];
    strictEqual(times.length, 1000);
    ok(Math.max(...times) - Math.min(...times) <= 2, `${Math.min(...times)} to ${Math.max(...times)} times each`);
  });

  it('sends no burst of requests after sleep or when the clock jumps', async () => {
    const window = await open();
    for (let n = 0; n < 20; n++) {
      await window.create(location, `Explain ${n}`);
    }
    await world.clock.advance(HOUR);
    let most = 0;
    for (const jump of [31_536_000_000, -31_536_000_000, 12 * HOUR, -12 * HOUR]) {
      world.clock.jump(jump);
      most = Math.max(most, await requestsDuring(1000));
      await world.clock.advance(120_000);
    }
    for (const sleep of [12 * HOUR, 31_536_000_000]) {
      // All timers are overdue when the machine wakes up.
      world.clock.sleep(sleep);
      most = Math.max(most, await requestsDuring(999));
      await world.clock.advance(120_000);
    }
    ok(most <= 4, `${most} requests in the first second`);
    const what =
      '20 running jobs; the clock jumps by ± 1 year and ± 12 hours, the machine sleeps for 12 hours and a year';
    report({ promise: 'C7', what, figure: `at most ${most} requests in the first second` });
  });
});
