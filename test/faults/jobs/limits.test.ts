import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { AgentClient } from '../../../src/client';
import type { ServiceLocation } from '../../../src/jobs/events';
import type { JobApi } from '../../../src/jobs/ports';
import { ManualClock } from '../../support/manualClock';
import { MemoryQuota } from '../../support/memoryStores';
import { type ScriptedAnswer, ScriptedServer } from '../../support/scriptedServer';
import { TestWindow, type World, createSharedPorts } from '../../support/testWindow';

const YEAR = 31_536_000_000;
const MINUTE = 60_000;

const httpDate = (ms: number): string => new Date(ms).toUTCString();

describe('a service that answers 429, over a real connection', function () {
  let server: ScriptedServer;
  let client: AgentClient;
  let world: World;
  let home: ServiceLocation;
  let windows: TestWindow[];

  beforeEach(async () => {
    server = await ScriptedServer.start();
    begin(new ManualClock(Date.now()));
    windows = [];
  });
  afterEach(async () => {
    windows.forEach((window) => window.close());
    await client.dispose();
    await server.close();
  });

  function begin(clock: ManualClock): void {
    home = { service: server.url, baseUrl: server.url, projectId: 'p1' };
    client = new AgentClient({ clock, random: () => 0 });
    const target = { baseUrl: server.url, projectId: 'p1', apiKey: 'mint_test' };
    const api: JobApi = {
      open: () =>
        Promise.resolve({
          create: (prompt) => client.createJob(target, prompt),
          message: (id, prompt) => client.sendMessage(target, id, prompt),
        }),
      probe: () => Promise.resolve(),
      retrieve: (_home, id) => client.retrieveJob(target, id, { attempts: 1 }),
    };
    world = { ...createSharedPorts(), clock, api, random: () => 0 };
  }

  async function open(): Promise<TestWindow> {
    const window = await new TestWindow(world).open();
    windows.push(window);
    return window;
  }

  /** Advances the engine's clock, and waits as much real time as the requests in flight need. */
  async function pass(ms: number): Promise<void> {
    const { clock } = world;
    const end = clock.monotonic() + ms;
    do {
      await clock.advance(Math.min(clock.untilNext ?? Infinity, end - clock.monotonic()));
      await answered();
    } while (clock.monotonic() < end);
  }

  async function answered(): Promise<void> {
    const isUnderWay = (): boolean =>
      windows.some(({ store }) => store.jobs.some(({ prompts }) => prompts.some(({ state }) => state === 'sending')));
    await world.clock.advance(0);
    while (isUnderWay()) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await world.clock.advance(0);
    }
  }

  const posts = (): number => server.count('POST');
  const limit = (headers: Record<string, string>, body: object = { error: 'slow down' }): ScriptedAnswer => ({
    status: 429,
    headers,
    body,
  });
  const withoutDate = { date: '' };

  const cases: [name: string, answer: () => ScriptedAnswer, clockIsAhead?: number][] = [
    ['Retry-After: 0', () => limit({ 'retry-after': '0' })],
    ['a date that has passed', () => limit({ 'retry-after': httpDate(Date.now() - 5 * MINUTE) })],
    ['retryAfterSeconds: 0', () => limit({}, { error: 'slow down', retryAfterSeconds: 0 })],
    ['a clock that is a year ahead', () => limit({ 'retry-after': httpDate(Date.now() + 1000) }, {}), YEAR],
    ['a clock that is a year behind', () => limit({ 'retry-after': httpDate(Date.now() - 1000) }, {}), -YEAR],
    ['such a clock and no date', () => limit({ ...withoutDate, 'retry-after': httpDate(Date.now()) }), YEAR],
    ['Retry-After: 1', () => limit({ 'retry-after': '1' })],
  ];
  for (const [name, answer, ahead = 0] of cases) {
    it(`receives at most 5 POSTs of one prompt in the first minute: ${name}`, async () => {
      begin(new ManualClock(Date.now() + ahead));
      server.choose = answer;
      const [window] = [await open(), await open()];
      await window.outbox.create(home, 'Explain');
      await answered();
      await pass(MINUTE);
      ok(posts() >= 2 && posts() <= 5, `${posts()} POSTs in a minute`);
      await pass(59 * MINUTE);
      ok(posts() <= 20, `${posts()} POSTs in an hour`);
      server.choose = () => ({ status: 201, body: { id: 'j1', status: 'completed' } });
      await pass(6 * MINUTE);
      strictEqual(window.job.snapshot?.id, 'j1');
    });
  }

  it('measures a Retry-After date by the clock of the server', async () => {
    begin(new ManualClock(Date.now() + YEAR));
    server.answers = [
      limit({ 'retry-after': httpDate(Date.now() + 10 * MINUTE), date: httpDate(Date.now()) }),
      { status: 201, body: { id: 'j1', status: 'completed' } },
    ];
    const window = await open();
    await window.outbox.create(home, 'Explain');
    await answered();
    await pass(9 * MINUTE);
    strictEqual(posts(), 1);
    await pass(2 * MINUTE);
    strictEqual(posts(), 2);
  });

  it('is retried less and less often, even across restarts', async () => {
    server.choose = () => limit({ 'retry-after': '0' });
    const window = await open();
    await window.outbox.create(home, 'Explain');
    await answered();
    const after: number[] = [];
    for (let minute = 0; minute < 10; minute++) {
      await pass(MINUTE);
      windows.splice(0).forEach((each) => each.close());
      await open();
      after.push(posts());
    }
    ok(posts() <= 9, `POSTs after each minute: ${after.join(', ')}`);
  });

  it('uses up no hourly quota with POSTs that it refuses', async () => {
    world.budget = new MemoryQuota(3);
    server.choose = () => limit({ 'retry-after': '0' });
    const window = await open();
    await window.outbox.create(home, 'one');
    await answered();
    await pass(20 * MINUTE);
    ok(posts() > 3, `${posts()} POSTs`);
    server.choose = () => ({ status: 201, body: { id: `j${posts()}`, status: 'completed' } });
    await window.outbox.create(home, 'two');
    await window.outbox.create(home, 'three');
    await pass(6 * MINUTE);
    deepStrictEqual(
      window.store.jobs.map(({ prompts }) => prompts[0]?.state),
      ['created', 'created', 'created'],
    );
  });
});
