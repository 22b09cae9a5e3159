import assert from 'node:assert/strict';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type HttpRequest, KEEP_ALIVE_MS, type Timeouts, Transport } from '../../../src/client/transport';
import { MAX_BODY_BYTES } from '../../../src/base/limits';
import { nextPollDelay } from '../../../src/jobs/pollSchedule';
import { ServiceError } from '../../../src/protocol/errors';
import { type Fault, type ScriptedAnswer, ScriptedServer } from '../../support/scriptedServer';
import { unusedPort } from '../../support/unusedPort';

const AMPLE: Timeouts = { connectMs: 5000, headersMs: 5000, bodyMs: 5000, totalMs: 10_000 };
const BODY = '{"prompt":"x"}';

describe('Transport', () => {
  const toClose: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    await Promise.all(toClose.splice(0).map((close) => close()));
  });

  async function serve(...answers: ScriptedAnswer[]): Promise<ScriptedServer> {
    const server = await ScriptedServer.start(...answers);
    toClose.push(() => server.close());
    return server;
  }

  function transport(timeouts: Partial<Timeouts> = {}): Transport {
    const made = new Transport({ ...AMPLE, ...timeouts });
    toClose.push(() => made.dispose());
    return made;
  }

  async function failure(request: HttpRequest, timeouts: Partial<Timeouts> = {}): Promise<ServiceError> {
    return failureOf(transport(timeouts).send(request));
  }

  it('returns status, headers and body unchanged', async () => {
    const server = await serve({ status: 418, headers: { 'x-a': '1' }, body: 'grüße' });
    const answer = await transport().send(get(server.url));
    assert.deepEqual([answer.status, answer.headers['x-a'], answer.body], [418, '1', 'grüße']);
  });

  for (const status of [301, 302, 303, 307, 308]) {
    for (const request of [get, post]) {
      it(`does not follow a ${status} redirect of a ${request.name}`, async () => {
        const target = await serve({ body: { id: 'j', status: 'active' } });
        const server = await serve({ status, headers: { location: `${target.url}/elsewhere` } });
        assert.equal((await transport().send(request(server.url))).status, status);
        assert.deepEqual([server.requests.length, target.requests.length], [1, 0]);
      });
    }
  }

  describe('sends a POST exactly once', () => {
    const answers: [string, ScriptedAnswer][] = [
      ...[408, 421, 425, 429, 500, 502, 503, 504].map((status): [string, ScriptedAnswer] => [`${status}`, { status }]),
      ...(['reset', 'close', 'cut', 'stall', 'hang'] satisfies Fault[]).map((fault): [string, ScriptedAnswer] => [
        fault,
        { fault, body: { id: 'j', status: 'active' } },
      ]),
    ];
    const impatient = { headersMs: 150, bodyMs: 150 };

    for (const [name, answer] of answers) {
      it(`after ${name}, on new and reused connections`, async () => {
        const server = await serve({ body: 'warm' }, answer);
        const reused = transport(impatient);
        await reused.send(get(server.url));
        for (const each of [reused, transport(impatient)]) {
          const before = server.count('POST');
          const outcome = await each.send(post(server.url)).catch((error: unknown) => error);
          assert.equal(server.count('POST'), before + 1);
          if (outcome instanceof ServiceError) {
            assert.equal(outcome.effect, 'unknown');
          }
        }
        // A duplicate in flight would arrive before a later request on the same pool is answered.
        server.answers = [{ body: 'after' }];
        await reused.send(get(server.url));
        assert.equal(server.count('POST'), 2);
        assert.ok(server.requests.every(({ method, body }) => body === (method === 'POST' ? BODY : '')));
      });
    }

    it('when the server has just closed the idle connection', async () => {
      const server = await serve({ body: 'warm' });
      const pool = transport();
      await pool.send(get(server.url));
      server.closeIdle();
      await pool.send(post(server.url)).catch((error: unknown) => assert.equal(kindOf(error), 'unreachable, unknown'));
      await pool.send(get(server.url));
      assert.ok(server.count('POST') <= 1);
    });
  });

  it('keeps connections alive longer than the interval between polls', () => {
    assert.ok(KEEP_ALIVE_MS > nextPollDelay(Infinity, 1));
  });

  it('reports that nothing was sent when the connection is refused', async () => {
    const error = await failure(post(`http://127.0.0.1:${await unusedPort()}`));
    assert.deepEqual([error.kind, error.effect, error.code], ['unreachable', 'none', 'ECONNREFUSED']);
  });

  it('reports that nothing was sent when the host is unknown', async () => {
    const error = await failure(post('http://nonexistent.invalid'));
    assert.deepEqual([error.kind, error.effect], ['unreachable', 'none']);
  });

  it('reports that nothing was sent when a header or URL is invalid', async () => {
    const server = await serve({ body: '' });
    const badHeader = await failure({ ...post(server.url), headers: { authorization: 'Bearer a\r\nx: y' } });
    assert.deepEqual([badHeader.kind, badHeader.effect], ['unreachable', 'none']);
    for (const url of ['not an address', 'ftp://127.0.0.1/']) {
      assert.equal(kindOf(await failure(post(url))), 'unreachable, none', url);
    }
    assert.equal(server.requests.length, 0);
  });

  it('times out when no response headers arrive', async () => {
    const server = await serve({ fault: 'hang' });
    const error = await failure(get(server.url), { headersMs: 100 });
    assert.deepEqual([error.kind, error.effect, error.code], ['timeout', 'unknown', 'HEADERS_TIMEOUT']);
  });

  it('times out when the body stalls', async () => {
    const server = await serve({ fault: 'stall' });
    const error = await failure(get(server.url), { bodyMs: 100 });
    assert.deepEqual([error.kind, error.effect, error.code], ['timeout', 'unknown', 'BODY_TIMEOUT']);
  });

  it('times out when the whole request takes too long even if bytes keep arriving', async () => {
    const server = await serve({ fault: 'trickle' });
    assert.equal(kindOf(await failure(post(server.url), { totalMs: 200 })), 'timeout, unknown');
    assert.equal(server.count('POST'), 1);
  });

  it('rejects when the caller aborts', async () => {
    const server = await serve({ fault: 'hang' });
    const caller = new AbortController();
    const sent = transport().send({ ...get(server.url), signal: caller.signal });
    while (server.requests.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    caller.abort();
    assert.equal(kindOf(await failureOf(sent)), 'aborted, unknown');
    assert.equal((await failure({ ...post(server.url), signal: caller.signal })).kind, 'aborted');
    assert.equal(server.count('POST'), 0);
  });

  it('accepts a body of exactly the maximum size and rejects a larger one', async () => {
    const server = await serve({ body: 'x'.repeat(MAX_BODY_BYTES) }, { body: 'x'.repeat(MAX_BODY_BYTES + 1) });
    assert.equal((await transport().send(get(server.url))).body.length, MAX_BODY_BYTES);
    const error = await failure(get(server.url));
    assert.deepEqual([error.kind, error.effect, error.code], ['notUnderstood', 'unknown', 'TOO_LARGE']);
  });

  it('closes the connection when the body is endless', async () => {
    const server = await serve({ fault: 'endless' });
    assert.equal((await failure(get(server.url))).code, 'TOO_LARGE');
  });

  for (const [encoding, pack] of Object.entries({ gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync })) {
    it(`rejects compressed responses: ${encoding}`, async () => {
      const server = await serve({ headers: { 'content-encoding': encoding }, body: pack(BODY) });
      const error = await failure(get(server.url));
      assert.deepEqual([error.kind, error.effect, error.code], ['notUnderstood', 'unknown', 'ENCODED']);
    });
  }

  it('keeps working after each kind of failure', async () => {
    const faults: Fault[] = ['reset', 'close', 'cut', 'endless'];
    const server = await serve(...faults.map((fault) => ({ fault, body: 'half of it' })), { body: 'well' });
    const pool = transport();
    for (const fault of faults) {
      assert.ok((await failureOf(pool.send(get(server.url)))) instanceof ServiceError, fault);
    }
    assert.equal((await pool.send(get(server.url))).body, 'well');
  });

  it('aborts pending requests on dispose and can be disposed unused', async () => {
    await new Transport().dispose();
    const server = await serve({ fault: 'hang' });
    const pool = transport();
    const sent = failureOf(pool.send(get(server.url)));
    while (server.requests.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await pool.dispose();
    assert.equal(kindOf(await sent), 'unreachable, unknown');
  });
});

function get(url: string): HttpRequest {
  return { method: 'GET', url, headers: {} };
}

function post(url: string): HttpRequest {
  return { method: 'POST', url, headers: { 'content-type': 'application/json' }, body: BODY };
}

async function failureOf(sent: Promise<unknown>): Promise<ServiceError> {
  try {
    await sent;
  } catch (error) {
    assert.ok(error instanceof ServiceError, `another error: ${String(error)}`);
    return error;
  }
  throw new assert.AssertionError({ message: 'the request did not fail' });
}

function kindOf(error: unknown): string {
  assert.ok(error instanceof ServiceError);
  return `${error.kind}, ${error.effect}`;
}
