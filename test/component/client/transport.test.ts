import assert from 'node:assert/strict';
import { type HttpRequest, KEEP_ALIVE_MS, type Timeouts, Transport } from '../../../src/client/transport';
import { MAX_BODY_BYTES } from '../../../src/base/limits';
import { nextPollDelay } from '../../../src/jobs/pollSchedule';
import { ServiceError } from '../../../src/protocol/errors';
import { type Fault, type ScriptedAnswer, ScriptedServer } from '../../support/scriptedServer';

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

  it('keeps connections alive longer than the interval between polls', () => {
    assert.ok(KEEP_ALIVE_MS > nextPollDelay(Infinity, 1));
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
