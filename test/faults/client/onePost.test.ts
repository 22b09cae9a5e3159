import assert from 'node:assert/strict';
import type { Transport } from '../../../src/client/transport';
import type { FaultProxy } from '../../support/faultProxy';
import { report, scaled } from '../../support/scale';
import type { ScriptedAnswer, ScriptedServer } from '../../support/scriptedServer';
import { ClientBench, FAR_HOST, JOB, type Outcome, postOnce } from '../../support/clientBench';

const SHORT = { headersMs: 150, bodyMs: 150 };
const POSTS = scaled(240, 12_000);
/** Enough at a time that connections are reused and requests wait for each other. */
const AT_ONCE = 6;

const FAULTS: [name: string, answer: ScriptedAnswer][] = [
  ['none', { status: 201, body: JOB }],
  ...[408, 421, 425, 429, 500, 502, 503, 504, 307].map((status): [string, ScriptedAnswer] => [
    `${status}`,
    { status, headers: { location: '/', 'retry-after': '0' }, body: { error: 'x' } },
  ]),
  ['421 and an end', { status: 421, headers: { connection: 'close' }, body: '' }],
  ...(['close', 'reset', 'cut', 'stall', 'hang'] as const).map((fault): [string, ScriptedAnswer] => [
    fault,
    { status: 201, body: JOB, fault },
  ]),
  ['half a status line', { fault: 'raw', body: 'HTTP/1.1 20' }],
  ['no HTTP', { fault: 'raw', body: 'nonsense\r\n\r\n' }],
];

describe('a POST under faults', () => {
  let bench: ClientBench;
  let server: ScriptedServer;
  let proxy: FaultProxy;

  beforeEach(async () => {
    bench = new ClientBench();
    server = await bench.server();
    proxy = await bench.proxy(server);
    server.choose = ({ method, headers }) => {
      const fault = FAULTS.find(([name]) => name === headers['x-fault'])?.[1];
      return method === 'GET' || fault === undefined ? { body: JOB } : fault;
    };
  });

  afterEach(() => bench.close());

  /** How often the server received each body. */
  function seen(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { body } of server.requests.filter(({ method }) => method === 'POST')) {
      counts.set(body, (counts.get(body) ?? 0) + 1);
    }
    return counts;
  }

  async function sendAll(sent: number, send: (id: string) => Promise<Outcome>): Promise<Map<string, Outcome>> {
    const outcomes = new Map<string, Outcome>();
    for (let done = 0; done < sent; done += AT_ONCE) {
      const ids = Array.from({ length: Math.min(AT_ONCE, sent - done) }, (_, index) => `post ${done + index}`);
      await Promise.all(ids.map(async (id) => outcomes.set(id, await send(id))));
    }
    return outcomes;
  }

  it('is received exactly once, on a fresh and on a reused connection, directly and through a proxy', async () => {
    const far = `http://${FAR_HOST}`;
    const kept: [Transport, string][] = [
      [bench.transport(SHORT), server.url],
      [bench.transport(SHORT, { proxy: proxy.url }), far],
    ];
    const combinations = FAULTS.flatMap(([name]) =>
      [false, true].flatMap((proxied) => [false, true].map((fresh) => ({ name, proxied, fresh }))),
    );
    let next = 0;
    const outcomes = await sendAll(POSTS, async (id) => {
      const { name, proxied, fresh } = combinations[next++ % combinations.length]!;
      const [used, url] = kept[proxied ? 1 : 0]!;
      const transport = fresh ? bench.transport(SHORT, proxied ? { proxy: proxy.url } : {}) : used;
      if (!fresh) {
        await used.send({ method: 'GET', url, headers: {} }).catch(() => undefined);
      }
      const outcome = await postOnce(transport, url, id, { headers: { 'x-fault': name } });
      if (fresh) {
        await transport.dispose();
      }
      return outcome;
    });
    // On a busy machine a request that timed out may still be in flight.
    for (let waited = 0; seen().size < POSTS && waited < 100; waited++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const counts = seen();
    const wrong = [...outcomes].filter(([id, { effect }]) => counts.get(id) !== 1 || effect === 'none');
    assert.deepEqual(wrong, []);
    assert.equal(counts.size, POSTS);
    assert.deepEqual(proxy.others, []);
    const [reused, opened] = [server.requests.length, server.connections];
    assert.ok(opened < reused, 'connections were used again');
    report({
      promise: 'L2',
      what: `${POSTS} POSTs, ${FAULTS.length} faults × fresh, used × direct, proxy`,
      figure: `each seen exactly once (${[...counts.values()].reduce((a, b) => a + b, 0)})`,
    });
  }).timeout(600_000);

  it('is received at most once if the idle connection closes just then, and never if reported as not sent', async () => {
    const count = scaled(60, 2_000);
    const transport = bench.transport(SHORT);
    let turn = 0;
    const outcomes = await sendAll(count, async (id) => {
      await transport.send({ method: 'GET', url: server.url, headers: {} }).catch(() => undefined);
      const sending = postOnce(transport, server.url, id);
      // A little later each time: before, while and after the request is written.
      for (let ticks = turn++ % 5; ticks > 0; ticks--) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (turn % 2 === 0) {
        server.closeIdle();
      } else if (turn % 3 === 0) {
        server.resetAll();
      }
      return sending;
    });
    const counts = seen();
    for (const [id, { effect }] of outcomes) {
      const times = counts.get(id) ?? 0;
      assert.ok(times <= 1, `${id} was seen ${times} times`);
      assert.ok(effect !== 'none' || times === 0, `${id} counts as not sent and was seen`);
      assert.ok(effect !== 'done' || times === 1, `${id} counts as done and was not seen`);
    }
    const [never, lost] = ['none', 'unknown'].map((which) => [...outcomes.values()].filter((o) => o.effect === which));
    report({
      promise: 'L2',
      what: `${count} POSTs while the server ends or resets idle connections`,
      figure: `0 seen twice; ${never?.length ?? 0} told as not sent, 0 of them seen; ${lost?.length ?? 0} unknown`,
    });
  });
});

describe('a redirect', () => {
  it('is followed by neither GET nor POST, directly and through a proxy', async () => {
    const bench = new ClientBench();
    try {
      const elsewhere = await bench.server({ body: JOB });
      const server = await bench.server();
      const proxy = await bench.proxy(server);
      let tried = 0;
      for (const status of [301, 302, 303, 307, 308]) {
        server.answers = [{ status, headers: { location: `${elsewhere.url}/v2` } }];
        for (const method of ['GET', 'POST'] as const) {
          for (const [transport, url] of [
            [bench.transport(), server.url],
            [bench.transport({}, { proxy: proxy.url }), `http://${FAR_HOST}`],
          ] as const) {
            const headers = { authorization: 'Bearer mint_canary' };
            const sent = transport.send({ method, url, headers, ...(method === 'POST' ? { body: '{}' } : {}) });
            assert.equal((await sent).status, status);
            tried++;
          }
        }
      }
      assert.deepEqual([server.requests.length, elsewhere.connections], [tried, 0]);
      report({ promise: 'S2', what: `${tried} redirects of GET and POST, direct and proxy`, figure: '0 hits' });
    } finally {
      await bench.close();
    }
  });
});
