import assert from 'node:assert/strict';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { Authority, type Identity } from '../../support/certificates';
import type { ProxyConduct } from '../../support/faultProxy';
import { report } from '../../support/scale';
import type { ScriptedAnswer } from '../../support/scriptedServer';
import { unusedPort } from '../../support/machine';
import { ClientBench, FAR_HOST, JOB, type Outcome, postOnce } from '../../support/clientBench';

/** Long enough for a handshake on a busy machine, short enough to wait for. */
const SHORT = { connectMs: 400, headersMs: 400, bodyMs: 400, totalMs: 20_000 };
const FAR = `https://${FAR_HOST}/v2`;

describe('a failed POST', () => {
  let bench: ClientBench;
  let rows = 0;
  let defaults: string[];
  let identities: Record<'good' | 'otherHost' | 'expired' | 'stranger', Identity>;

  before(async () => {
    const [authority, stranger] = [await Authority.make(), await Authority.make('CN=Nobody')];
    defaults = getCACertificates('default');
    setDefaultCACertificates([...defaults, authority.pem]);
    const hosts = [FAR_HOST, '127.0.0.1'];
    identities = {
      good: await authority.issue({ hosts }),
      otherHost: await authority.issue({ hosts: ['other.example'] }),
      expired: await authority.issue({ hosts, days: -1 }),
      stranger: await stranger.issue({ hosts }),
    };
  });

  beforeEach(() => {
    bench = new ClientBench();
  });

  afterEach(async () => {
    rows++;
    await bench.close();
  });

  after(() => {
    setDefaultCACertificates(defaults);
    report({ promise: 'L4', what: `${rows} faults by phase of the connection`, figure: 'each told as it is' });
  });

  describe('is reported as not sent when', () => {
    it('the host name cannot be resolved', async () => {
      assert.deepEqual(await postOnce(bench.transport(), FAR), none('unreachable', 'ENOTFOUND'));
    });

    it('the port is closed', async () => {
      assert.deepEqual(
        await postOnce(bench.transport(), `http://127.0.0.1:${await unusedPort()}`),
        none('unreachable', 'ECONNREFUSED'),
      );
    });

    const handshakes: [string, (socket: import('node:net').Socket) => void, string, RegExp][] = [
      ['says nothing', () => undefined, 'timeout', /^CONNECT_TIMEOUT$/],
      ['ends', (socket) => socket.end(), 'unreachable', /^ECONNRESET$/],
      ['is reset', (socket) => socket.resetAndDestroy(), 'unreachable', /^ECONNRESET$/],
      ['speaks HTTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'unreachable', /^ERR_SSL_/],
    ];
    for (const [name, serve, kind, code] of handshakes) {
      it(`the TLS handshake fails: the server ${name}`, async () => {
        const port = await bench.rawServer((socket) => socket.once('data', () => serve(socket)));
        const outcome = await postOnce(bench.transport(SHORT), `https://127.0.0.1:${port}`);
        assert.deepEqual([outcome.effect, outcome.kind], ['none', kind]);
        assert.match(outcome.code ?? '', code);
      });
    }

    const untrusted: ['otherHost' | 'expired' | 'stranger', string][] = [
      ['otherHost', 'ERR_TLS_CERT_ALTNAME_INVALID'],
      ['expired', 'CERT_HAS_EXPIRED'],
      ['stranger', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ];
    for (const [which, code] of untrusted) {
      it(`the certificate is invalid: ${which}, directly, in a tunnel, and for the proxy itself`, async () => {
        const bad = await bench.secureServer(identities[which]);
        const good = await bench.secureServer(identities.good);
        const direct = bench.transport();
        assert.deepEqual(await postOnce(direct, bad.url), none('unreachable', code));
        const { url } = await bench.proxy(bad);
        assert.deepEqual(await postOnce(bench.transport({}, { proxy: url }), FAR), none('unreachable', code));
        const secure = await bench.proxy(good, { identity: identities[which] });
        const through = bench.transport({}, { proxy: secure.url });
        assert.deepEqual(await postOnce(through, FAR), none('unreachable', `PROXY_${code}`));
        assert.deepEqual([bad.requests.length, good.requests.length, secure.connects.length], [0, 0, 0]);
      });
    }

    const conducts: [ProxyConduct, string, RegExp][] = [
      ['hang', 'timeout', /^PROXY_TIMEOUT$/],
      ['garbage', 'unreachable', /^PROXY_(HPE_|LOST)/],
      ['half', 'unreachable', /^PROXY_(UND_ERR_SOCKET|HPE_)/],
      ['close', 'unreachable', /^PROXY_UND_ERR_SOCKET$/],
      ['reset', 'unreachable', /^PROXY_ECONNRESET$/],
      [407, 'unreachable', /^PROXY_LOGIN$/],
      [403, 'unreachable', /^PROXY_STATUS_403$/],
      [302, 'unreachable', /^PROXY_STATUS_302$/],
      [429, 'unreachable', /^PROXY_STATUS_429$/],
      [502, 'unreachable', /^PROXY_STATUS_502$/],
      ['deaf', 'timeout', /^CONNECT_TIMEOUT$/],
      ['cut', 'unreachable', /^ECONNRESET$/],
      ['babble', 'unreachable', /^ERR_SSL_/],
    ];
    for (const [conduct, kind, code] of conducts) {
      it(`the proxy answers CONNECT with: ${conduct}`, async () => {
        const server = await bench.secureServer(identities.good);
        const proxy = await bench.proxy(server, { conduct });
        const outcome = await postOnce(bench.transport(SHORT, { proxy: proxy.url }), FAR);
        assert.deepEqual([outcome.effect, outcome.kind], ['none', kind], outcome.code);
        assert.match(outcome.code ?? '', code);
        assert.equal(server.requests.length, 0);
        assert.deepEqual(proxy.others, []);
      });
    }

    it('the proxy is down, cannot be resolved, or does not speak TLS', async () => {
      const port = await unusedPort();
      const plain = await bench.proxy(undefined);
      const table: [string, RegExp][] = [
        [`http://127.0.0.1:${port}`, /^PROXY_ECONNREFUSED$/],
        ['http://proxy.invalid:3128', /^PROXY_ENOTFOUND$/],
        [plain.url.replace('http:', 'https:'), /^PROXY_(ERR_SSL_|ECONNRESET|TIMEOUT)/],
      ];
      for (const [proxy, code] of table) {
        const outcome = await postOnce(bench.transport(SHORT, { proxy }), FAR);
        assert.equal(outcome.effect, 'none', proxy);
        assert.match(outcome.code ?? '', code);
      }
    });

    it('it was aborted while it waited for a free connection', async () => {
      const server = await bench.server({ fault: 'hang' });
      const transport = bench.transport({ headersMs: 600 });
      const sent = Array.from({ length: 4 }, () => postOnce(transport, server.url));
      while (server.requests.length < 4) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      const user = new AbortController();
      const late = postOnce(transport, server.url, 'late', { signal: user.signal });
      setImmediate(() => user.abort());
      assert.deepEqual(await late, none('aborted', undefined));
      const outcomes = await Promise.all(sent);
      assert.ok(outcomes.every(({ effect, code }) => effect === 'unknown' && code === 'HEADERS_TIMEOUT'));
      server.answers = [{ body: 'after' }];
      await transport.send({ method: 'GET', url: server.url, headers: {} });
      assert.equal(server.requests.filter(({ body }) => body === 'late').length, 0);
    });
  });

  const job = { body: JOB };
  const refusals: [string, Omit<ScriptedAnswer, 'status'>][] = [
    ['plain', { body: { error: 'no' } }],
    ['HTML', { body: '<html>' }],
    ['packed', { headers: { 'content-encoding': 'gzip' }, body: gzipSync('{"error":"no"}') }],
    ['cut', { ...job, fault: 'cut' }],
    ['stalled', { ...job, fault: 'stall' }],
    ['endless', { ...job, fault: 'endless' }],
  ];
  // What each status means is a table in the unit tests of the client.
  const said = [400, 401, 429, 507];
  it('is reported as refused after a status line that refuses it, whatever follows', async () => {
    const tryAll = async (status: number): Promise<void> => {
      const tries = refusals.map(async ([name, answer]) => {
        const server = await bench.server({ status, ...answer });
        const { effect, code } = await postOnce(bench.transport(SHORT), server.url);
        assert.deepEqual([effect, code, server.requests.length], ['refused', undefined, 1], `${status}, ${name}`);
      });
      await Promise.all(tries);
    };
    for (const status of said) {
      await tryAll(status);
    }
    rows += said.length - 1;
  });

  const lost: [string, ScriptedAnswer][] = [
    ...[301, 302, 303, 307, 308, 407, 408, 418, 421, 425, 500, 501, 502, 503, 504, 511].map(
      (status): [string, ScriptedAnswer] => [`${status}`, { status, headers: { location: '/' }, body: JOB }],
    ),
    ...(['hang', 'reset', 'close', 'cut', 'stall', 'endless'] as const).map((fault): [string, ScriptedAnswer] => [
      fault,
      { status: 201, body: JOB, fault },
    ]),
    ['no id', { status: 201, body: { status: 'active' } }],
    ['no JSON', { status: 201, body: '<html>' }],
    ['nothing', { status: 204 }],
    ['packed', { status: 201, headers: { 'content-encoding': 'br' }, body: 'x' }],
    ['half a status line', { fault: 'raw', body: 'HTTP/1.1 20' }],
    ['no HTTP', { fault: 'raw', body: 'SSH-2.0-OpenSSH\r\n' }],
    ['no end of the header', { fault: 'raw', body: `HTTP/1.1 401 No\r\nx: ${'y'.repeat(100_000)}` }],
    ['only what comes before an answer', { fault: 'raw', body: 'HTTP/1.1 103 Early Hints\r\n\r\n' }],
    ['another protocol', { fault: 'raw', body: 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n' }],
  ];
  for (const [name, answer] of lost) {
    it(`is reported as unknown after it was written, directly and in a tunnel: ${name}`, async () => {
      const server = await bench.server(answer);
      const proxy = await bench.proxy(server);
      const [direct, tunnelled] = await Promise.all([
        postOnce(bench.transport(SHORT), server.url),
        postOnce(bench.transport(SHORT, { proxy: proxy.url }), `http://${FAR_HOST}/v2`),
      ]);
      assert.deepEqual([direct.effect, tunnelled.effect], ['unknown', 'unknown'], direct.code);
      assert.equal(server.count('POST'), 2);
    });
  }
});

function none(kind: string, code: string | undefined): Outcome {
  return { effect: 'none', kind, code };
}
