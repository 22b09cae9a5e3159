import assert from 'node:assert/strict';
import { MAX_BODY_BYTES } from '../../../src/base/limits';
import { DIRECT, type NetworkSettings } from '../../../src/base/network';
import { DEFAULT_TIMEOUTS, type HttpRequest, KEEP_ALIVE_MS, Transport } from '../../../src/client/transport';
import { nextPollDelay } from '../../../src/jobs/pollSchedule';
import { ServiceError } from '../../../src/protocol/errors';
import { ClientBench, FAR_HOST } from '../../support/clientBench';
import type { Fault, ScriptedServer } from '../../support/scriptedServer';

const FAR = `http://${FAR_HOST}/v2`;

describe('Transport', () => {
  let bench: ClientBench;
  beforeEach(() => (bench = new ClientBench()));
  afterEach(() => bench.close());

  const failure = (request: HttpRequest): Promise<ServiceError> => failureOf(bench.transport().send(request));

  it('returns status, headers and body unchanged', async () => {
    const server = await bench.server({ status: 418, headers: { 'x-a': '1' }, body: 'grüße' });
    const answer = await bench.transport().send(get(server.url));
    assert.deepEqual([answer.status, answer.headers['x-a'], answer.body], [418, '1', 'grüße']);
  });

  it('keeps connections alive longer than the interval between polls', () => {
    assert.ok(KEEP_ALIVE_MS > nextPollDelay(Infinity, 1));
  });

  it('reports that nothing was sent when a header or URL is invalid', async () => {
    const server = await bench.server({ body: '' });
    const badHeader = await failure({ ...post(server.url), headers: { authorization: 'Bearer a\r\nx: y' } });
    assert.deepEqual([badHeader.kind, badHeader.effect], ['unreachable', 'none']);
    for (const url of ['not an address', 'ftp://127.0.0.1/']) {
      assert.equal(kindOf(await failure(post(url))), 'unreachable, none', url);
    }
    assert.equal(server.requests.length, 0);
  });

  it('rejects when the caller aborts', async () => {
    const server = await bench.server({ fault: 'hang' });
    const caller = new AbortController();
    const sent = bench.transport().send({ ...get(server.url), signal: caller.signal });
    while (server.requests.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    caller.abort();
    assert.equal(kindOf(await failureOf(sent)), 'aborted, unknown');
    assert.equal((await failure({ ...post(server.url), signal: caller.signal })).kind, 'aborted');
    assert.equal(server.count('POST'), 0);
  });

  it('accepts a body of exactly the maximum size and rejects a larger one', async () => {
    const server = await bench.server({ body: 'x'.repeat(MAX_BODY_BYTES) }, { body: 'x'.repeat(MAX_BODY_BYTES + 1) });
    assert.equal((await bench.transport().send(get(server.url))).body.length, MAX_BODY_BYTES);
    const error = await failure(get(server.url));
    assert.deepEqual([error.kind, error.effect, error.code], ['notUnderstood', 'unknown', 'TOO_LARGE']);
  });

  it('keeps working after each kind of failure', async () => {
    const faults: Fault[] = ['reset', 'close', 'cut', 'endless'];
    const server = await bench.server(...faults.map((fault) => ({ fault, body: 'half of it' })), { body: 'well' });
    const pool = bench.transport();
    for (const fault of faults) {
      assert.ok((await failureOf(pool.send(get(server.url)))) instanceof ServiceError, fault);
    }
    assert.equal((await pool.send(get(server.url))).body, 'well');
  });

  it('aborts pending requests on dispose and can be disposed unused', async () => {
    await new Transport().dispose();
    const server = await bench.server({ fault: 'hang' });
    const pool = bench.transport();
    const sent = failureOf(pool.send(get(server.url)));
    while (server.requests.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await pool.dispose();
    assert.equal(kindOf(await sent), 'unreachable, unknown');
  });

  describe('through a proxy', () => {
    let server: ScriptedServer;
    let network: NetworkSettings;
    let transport: Transport;
    beforeEach(async () => {
      server = await bench.server({ body: 'well' });
      network = { ...DIRECT };
      transport = new Transport(DEFAULT_TIMEOUTS, () => network);
    });
    afterEach(() => transport.dispose());

    it('sends requests through one tunnel, and the login only to the proxy', async () => {
      const proxy = await bench.proxy(server, { login: 'Basic dTpw' });
      network = { ...DIRECT, proxy: proxy.url.replace('//', '//u:p@') };
      const headers = { authorization: 'Bearer mint_canary' };
      for (let sent = 0; sent < 6; sent++) {
        assert.equal((await transport.send({ method: 'POST', url: FAR, headers, body: '{}' })).body, 'well');
      }
      assert.ok(proxy.connects.length < 4, `${proxy.connects.length} tunnels`);
      assert.deepEqual([proxy.connects[0]?.authority, proxy.others], [`${FAR_HOST}:80`, []]);
      assert.ok(!proxy.connects[0]?.head.includes('mint_canary'));
      const [seen] = server.requests;
      assert.deepEqual([seen?.path, seen?.body, seen?.headers.authorization], ['/v2', '{}', 'Bearer mint_canary']);
      assert.equal(seen?.headers['proxy-authorization'], undefined);
    });

    it('applies changed settings to the next request and finishes the current one unchanged', async () => {
      const [first, second] = [await bench.proxy(server), await bench.proxy(server)];
      server.answers = [{ delayMs: 200, body: 'slow' }, { body: 'well' }];
      network = { ...DIRECT, proxy: first.url };
      const slow = transport.send(get(FAR));
      while (server.requests.length === 0) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      network = { ...DIRECT, proxy: second.url };
      assert.equal((await transport.send(get(FAR))).body, 'well');
      assert.equal((await slow).body, 'slow');
      assert.deepEqual([first.connects.length, second.connects.length], [1, 1]);
      network = { ...network, noProxy: ['invalid'] };
      await assert.rejects(transport.send(get(FAR)), { kind: 'unreachable', effect: 'none', code: 'ENOTFOUND' });
    });

    it('does not bypass a proxy of an unsupported type', async () => {
      network = { ...DIRECT, proxy: 'socks5://127.0.0.1:1080' };
      await assert.rejects(transport.send(get(FAR)), { kind: 'unreachable', effect: 'none', code: 'PROXY_SETTING' });
    });
  });
});

function get(url: string): HttpRequest {
  return { method: 'GET', url, headers: {} };
}

function post(url: string): HttpRequest {
  return { method: 'POST', url, headers: { 'content-type': 'application/json' }, body: '{"prompt":"x"}' };
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
