import assert from 'node:assert/strict';
import { AgentClient, type Target } from '../../../src/client/agentClient';
import { Transport } from '../../../src/client/transport';
import { ServiceError } from '../../../src/protocol/errors';
import { ManualClock, settle } from '../../support/manualClock';
import { type ScriptedAnswer, ScriptedServer } from '../../support/scriptedServer';

const JOB = { id: 'j', status: 'active' };
const WELL: ScriptedAnswer = { body: JOB };

describe('AgentClient', () => {
  let server: ScriptedServer;
  let clock: ManualClock;
  let client: AgentClient;
  let target: Target;

  beforeEach(async () => {
    server = await ScriptedServer.start(WELL);
    clock = new ManualClock();
    client = clientOf(60_000);
    target = { baseUrl: server.url, projectId: 'p', apiKey: 'mint_key' };
  });

  afterEach(async () => {
    await client.dispose();
    await server.close();
  });

  /** A client with this response timeout in real time; tests that expect an answer use a long one for slow machines. */
  function clientOf(patienceMs: number): AgentClient {
    const transport = new Transport({ connectMs: 60_000, headersMs: patienceMs, bodyMs: patienceMs, totalMs: 120_000 });
    return new AgentClient({ clock, random: () => 0.5, transport });
  }

  /** Advances the clock through `count` waits between attempts and returns their lengths in milliseconds. */
  async function waits(count: number): Promise<number[]> {
    const lengths: number[] = [];
    while (lengths.length < count) {
      await clock.untilPending();
      const next = clock.untilNext ?? NaN;
      lengths.push(next);
      await clock.advance(next);
    }
    return lengths;
  }

  it('creates a job with one POST that contains the unchanged prompt and the key', async () => {
    server.answers = [{ status: 201, body: { ...JOB, later: 1 } }];
    const prompt = 'Zeile "eins"\r\n\tüber 🚀 \u2028';
    assert.deepEqual(await client.createJob(target, prompt), JOB);
    const [seen] = server.requests;
    assert.deepEqual([seen?.method, seen?.path, server.requests.length], ['POST', '/v2/agent/p/job', 1]);
    assert.deepEqual(JSON.parse(seen?.body ?? ''), { prompt });
    assert.equal(seen?.headers.authorization, 'Bearer mint_key');
    assert.equal(seen.headers['content-type'], 'application/json');
    assert.equal(seen.headers['accept-encoding'], 'identity');
  });

  it('sends a follow-up with POST and retrieves a job with GET and no body', async () => {
    await client.sendMessage(target, 'j', 'more');
    await client.retrieveJob(target, 'j');
    const [message, retrieve] = server.requests;
    assert.deepEqual([message?.method, message?.path], ['POST', '/v2/agent/p/job/j/message']);
    assert.deepEqual([retrieve?.method, retrieve?.path, retrieve?.body], ['GET', '/v2/agent/p/job/j', '']);
    assert.equal(retrieve?.headers.authorization, 'Bearer mint_key');
  });

  it('keeps the path prefix of the base URL and ignores trailing slashes', async () => {
    await client.retrieveJob({ ...target, baseUrl: `${server.url}/prefix//` }, 'j');
    assert.equal(server.requests[0]?.path, '/prefix/v2/agent/p/job/j');
  });

  it('percent-encodes ids', async () => {
    const id = '../x y%2e ü';
    server.answers = [{ body: { id, status: 'active' } }];
    await client.retrieveJob({ ...target, projectId: 'a/b?c#d' }, id);
    assert.equal(server.requests[0]?.path, '/v2/agent/a%2Fb%3Fc%23d/job/..%2Fx%20y%252e%20%C3%BC');
  });

  it('rejects a response about another job', async () => {
    server.answers = [{ body: { id: 'other', status: 'completed' } }];
    for (const asked of [client.retrieveJob(target, 'j'), client.sendMessage(target, 'j', 'more')]) {
      const error = await failure(asked);
      assert.deepEqual([error.kind, error.effect, error.code], ['notUnderstood', 'unknown', 'OTHER_JOB']);
    }
  });

  it('rejects an ID that would address another resource before sending anything', async () => {
    for (const id of ['', '.', '..', 'a\n', '\u0085', 'x'.repeat(513), '\udc00']) {
      const asked = [
        client.retrieveJob(target, id),
        client.sendMessage(target, id, 'x'),
        client.createJob({ ...target, projectId: id }, 'x'),
      ];
      for (const each of asked) {
        const error = await failure(each);
        assert.deepEqual([error.kind, error.effect, error.code], ['notFound', 'none', 'UNSAFE_ID']);
      }
    }
    assert.equal(server.connections, 0);
  });

  const odd: [string, ScriptedAnswer][] = [
    ['behind a byte order mark', { body: `\uFEFF${JSON.stringify(JOB)}` }],
    ['with an empty Content-Encoding', { headers: { 'content-encoding': '' }, body: JOB }],
    ['with Content-Encoding: Identity', { headers: { 'content-encoding': ' Identity' }, body: JOB }],
  ];
  for (const [name, answer] of odd) {
    it(`accepts a job ${name}`, async () => {
      server.answers = [{ status: 201, ...answer }];
      assert.deepEqual(await client.createJob(target, 'x'), JOB);
    });
  }

  const once: [string, ScriptedAnswer][] = [
    ...[301, 307, 408, 421, 429, 500, 503, 504].map((status): [string, ScriptedAnswer] => [
      `${status}`,
      { status, headers: { 'retry-after': '0', location: '/elsewhere' } },
    ]),
    ['a reset', { fault: 'reset' }],
    ['half an answer', { fault: 'cut', body: JOB }],
    ['no answer', { fault: 'hang' }],
    ['an answer without a job', { status: 201, body: {} }],
  ];
  for (const [name, answer] of once) {
    it(`sends a prompt only once after ${name}`, async () => {
      server.answers = [answer];
      const own = answer.fault === 'hang' ? clientOf(200) : client;
      for (const [count, send] of [
        () => own.createJob(target, 'x'),
        () => own.sendMessage(target, 'j', 'x'),
      ].entries()) {
        const error = await failure(send());
        assert.equal(error.effect, answer.status === 429 ? 'refused' : 'unknown');
        await clock.advance(3_600_000);
        assert.deepEqual([server.requests.length, clock.pending], [count + 1, 0]);
      }
      await own.dispose();
    });
  }

  it('retries transient failures of a GET with increasing delays', async () => {
    server.answers = [{ status: 503 }, { fault: 'reset' }, WELL];
    const job = client.retrieveJob(target, 'j');
    assert.deepEqual(await waits(2), [1500, 2500]);
    assert.equal((await job).id, 'j');
    assert.equal(server.count('GET'), 3);
  });

  it('reports the last failure when all attempts have failed', async () => {
    server.answers = [{ status: 502 }, { status: 502 }, { status: 503 }];
    const failed = failure(client.retrieveJob(target, 'j'));
    await waits(2);
    assert.equal((await failed).status, 503);
    assert.deepEqual([server.count('GET'), clock.pending], [3, 0]);
  });

  it('tries only once when the caller schedules its own retries', async () => {
    server.answers = [{ status: 503 }];
    assert.equal((await failure(client.retrieveJob(target, 'j', { attempts: 1 }))).status, 503);
    assert.deepEqual([server.count('GET'), clock.pending], [1, 0]);
  });

  for (const status of [301, 400, 401, 403, 404, 409, 418]) {
    it(`does not retry after ${status}`, async () => {
      server.answers = [{ status, headers: { location: '/elsewhere' } }, WELL];
      assert.equal((await failure(client.retrieveJob(target, 'j'))).status, status);
      assert.deepEqual([server.count('GET'), clock.pending], [1, 0]);
    });
  }

  it('honors retry delays given in seconds, as a date or in the response body', async () => {
    const at = new Date(clock.now() + 9000).toUTCString();
    const refusals: ScriptedAnswer[] = [
      { status: 429, headers: { 'retry-after': '9' } },
      { status: 503, headers: { 'retry-after': at, date: new Date(clock.now()).toUTCString() } },
      { status: 429, body: { error: 'too many', retryAfterSeconds: 9 } },
    ];
    for (const refusal of refusals) {
      server.answers = [refusal, WELL];
      clock.jump(Date.parse(at) - 9000 - clock.now());
      const job = client.retrieveJob(target, 'j');
      assert.deepEqual(await waits(1), [9000]);
      assert.equal((await job).status, 'active');
    }
  });

  it('fails immediately when the requested retry delay is too long', async () => {
    server.answers = [{ status: 429, headers: { 'retry-after': '600' } }];
    const error = await failure(client.retrieveJob(target, 'j'));
    assert.deepEqual([error.kind, error.retryAfterMs, server.count('GET')], ['limit', 600_000, 1]);
  });

  it('stops waiting and rejects with a ServiceError when the caller aborts', async () => {
    server.answers = [{ status: 503 }];
    const caller = new AbortController();
    const failed = failure(client.retrieveJob(target, 'j', { signal: caller.signal }));
    await clock.untilPending();
    caller.abort();
    assert.equal((await failed).kind, 'aborted');
    await settle();
    assert.deepEqual([server.count('GET'), clock.pending], [1, 0]);
  });

  it('does not include the API key in any error', async () => {
    server.answers = [{ status: 401, body: { error: 'no' } }, { fault: 'reset' }, { status: 200, body: [] }];
    const reasons = [
      await failure(client.createJob(target, 'x')),
      await failure(client.createJob(target, 'x')),
      await failure(client.createJob(target, 'x')),
      await failure(client.createJob({ ...target, apiKey: 'mint_key\n' }, 'x')),
    ];
    for (const error of reasons) {
      assert.ok(
        !`${String(error.stack)} ${JSON.stringify(error)} ${String(error.cause)}`.includes('mint_key'),
        error.message,
      );
    }
  });
});

async function failure(asked: Promise<unknown>): Promise<ServiceError> {
  try {
    await asked;
  } catch (error) {
    assert.ok(error instanceof ServiceError, `another error: ${String(error)}`);
    return error;
  }
  throw new assert.AssertionError({ message: 'the request did not fail' });
}
