import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Timeouts, Transport } from '../../../src/client/transport';
import { Authority } from '../../support/certificates';
import { report, scaled } from '../../support/scale';
import { ScriptedServer } from '../../support/scriptedServer';
import { ClientBench, FAR_HOST, portOf, postOnce } from '../../support/clientBench';

const run = promisify(execFile);

/** Runs a module in its own process and returns what it printed. */
async function inOwnProcess(code: string, env: Record<string, string> = {}): Promise<unknown> {
  const args = ['--expose-gc', '--import', 'tsx', '--input-type=module', '--eval', code];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env } });
  return JSON.parse(stdout);
}

const module = (path: string): string => JSON.stringify(pathToFileURL(resolve(path)).href);

describe('a slow connection to the service', () => {
  let bench: ClientBench;
  beforeEach(() => (bench = new ClientBench()));
  afterEach(() => bench.close());

  it('times out each request, whichever phase is slow', async () => {
    const timeouts: Timeouts = { connectMs: 500, headersMs: 700, bodyMs: 700, totalMs: 1000 };
    const port = await bench.rawServer(() => undefined);
    const [silent, stalled, trickling] = [
      await bench.server({ fault: 'hang' }),
      await bench.server({ fault: 'stall' }),
      await bench.server({ fault: 'trickle' }),
    ];
    const far = `https://${FAR_HOST}`;
    const proxies = [await bench.proxy(silent, { conduct: 'hang' }), await bench.proxy(silent, { conduct: 'deaf' })];
    const ways: [name: string, url: string, proxy: string, codes: RegExp][] = [
      ['TLS', `https://127.0.0.1:${port}`, '', /^CONNECT_TIMEOUT$/],
      ['proxy', far, proxies[0]!.url, /^PROXY_TIMEOUT$/],
      ['TLS in the tunnel', far, proxies[1]!.url, /^CONNECT_TIMEOUT$/],
      ['header', silent.url, '', /^HEADERS_TIMEOUT$/],
      ['body', stalled.url, '', /^BODY_TIMEOUT$/],
      ['body by drops', trickling.url, '', /^TOTAL_TIMEOUT$/],
    ];
    const runs = scaled(36, 1000);
    let latest = 0;
    for (let done = 0; done < runs; done += 40) {
      const batch = Array.from({ length: Math.min(40, runs - done) }, async (_, index) => {
        const [name, url, proxy, codes] = ways[(done + index) % ways.length]!;
        const start = performance.now();
        const outcome = await postOnce(bench.transport(timeouts, { proxy }), url);
        latest = Math.max(latest, performance.now() - start);
        assert.equal(outcome.kind, 'timeout', name);
        // On a busy machine the overall timeout may fire before that of the phase.
        assert.ok(codes.test(outcome.code ?? '') || outcome.code === 'TOTAL_TIMEOUT', `${name}: ${outcome.code ?? ''}`);
      });
      await Promise.all(batch);
    }
    // The expected bound is a second over the overall timeout; a busy machine may need as long again.
    assert.ok(latest < timeouts.totalMs + 4000, `${latest} ms`);
    const over = Math.max(0, Math.round(latest - timeouts.totalMs));
    report({
      promise: 'C1',
      what: `${runs} requests slow at ${ways.length} phases`,
      figure: `all ended, ${over} ms late at most`,
    });
  });
});

describe('an oversized answer', () => {
  it('takes no more memory than its limit allows', async () => {
    const rounds = scaled(3, 100);
    const code = `
      const { Transport } = await import(${module('src/client/transport.ts')});
      const { readAnswer } = await import(${module('src/client/answer.ts')});
      const { ScriptedServer } = await import(${module('test/support/scriptedServer.ts')});
      const { gzipSync } = await import('node:zlib');
      const packed = gzipSync(Buffer.alloc(200 * 1024 * 1024));
      const nest = (text) => '{"id":"j","status":"s","x":' + text;
      const bodies = [
        { status: 200, fault: 'endless' }, { status: 401, fault: 'endless' },
        { status: 200, headers: { 'content-encoding': 'gzip' }, body: packed },
        { status: 500, headers: { 'content-encoding': 'gzip' }, body: packed },
        { status: 200, body: nest('['.repeat(1_000_000)) },
        { status: 200, body: nest('[' + '[],'.repeat(340_000) + '[]]}') },
        { status: 200, body: nest('{"__proto__":'.repeat(40) + '{}' + '}'.repeat(41)) },
        { status: 200, body: nest('"' + '\\\\u0000'.repeat(170_000) + '"}') },
        { status: 404, body: '{"error":"' + 'x'.repeat(1_000_000) + '"}' },
      ];
      const server = await ScriptedServer.start();
      const transport = new Transport();
      const kinds = new Set();
      const round = async () => {
        for (const answer of bodies) {
          server.answers = [answer];
          try {
            readAnswer(await transport.send({ method: 'GET', url: server.url, headers: {} }), 0);
            kinds.add('job');
          } catch (error) { kinds.add(error.kind ?? String(error)); }
        }
      };
      const used = () => { gc(); gc(); return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers; };
      await round();
      const before = used();
      for (let done = 0; done < ${rounds}; done++) { await round(); }
      const grown = used() - before;
      await transport.dispose();
      await server.close();
      console.log(JSON.stringify({ grown, kinds: [...kinds].sort(), tried: ${rounds} * bodies.length, polluted: ({}).x }));`;
    const found = (await inOwnProcess(code)) as { grown: number; kinds: string[]; tried: number; polluted?: unknown };
    assert.deepEqual(found.kinds, ['job', 'notFound', 'notUnderstood', 'unauthorized', 'unreachable']);
    assert.equal(found.polluted, undefined);
    const megabytes = Math.max(0, found.grown / 1024 / 1024);
    assert.ok(megabytes < 50, `${megabytes} MB`);
    report({
      promise: 'C2',
      what: `${found.tried} bombs, endless streams and nestings`,
      figure: `${megabytes.toFixed(1)} MB more`,
    });
  });
});

describe('a transport', () => {
  it('verifies certificates even if the environment disables the check', async () => {
    const authority = await Authority.make('CN=Nobody');
    const server = await ScriptedServer.startSecure(await authority.issue({ hosts: ['127.0.0.1'] }), { body: 'well' });
    try {
      const code = `
        const { Transport } = await import(${module('src/client/transport.ts')});
        const transport = new Transport(undefined, () => ({ proxy: '', noProxy: [], systemCertificates: true }));
        const found = await transport.send({ method: 'GET', url: ${JSON.stringify(server.url)}, headers: {} })
          .then(({ body }) => body, ({ code, effect }) => [code, effect]);
        await transport.dispose();
        console.log(JSON.stringify(found));`;
      const found = await inOwnProcess(code, { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' });
      assert.deepEqual(found, ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'none']);
      assert.equal(server.requests.length, 0);
      report({
        promise: 'S3',
        what: 'NODE_TLS_REJECT_UNAUTHORIZED=0, wrong authority, host, date × direct, tunnel, proxy',
        figure: 'all refused',
      });
    } finally {
      await server.close();
    }
  });

  it('sends a key to the requested address and nowhere else', async () => {
    const bench = new ClientBench();
    try {
      const [own, other] = [await bench.server({ body: 'well' }), await bench.server({ body: 'well' })];
      const proxy = await bench.proxy(own);
      const transport: Transport = bench.transport({}, { proxy: proxy.url });
      const send = (url: string, key: string): Promise<unknown> =>
        transport.send({ method: 'GET', url, headers: { authorization: `Bearer ${key}` } });
      const runs = scaled(50, 500);
      for (let sent = 0; sent < runs; sent++) {
        await Promise.all([
          send(`http://${FAR_HOST}`, 'own-key'),
          send(own.url, 'own-key'),
          send(`http://127.0.0.1:${portOf(other.url)}`, 'other-key'),
        ]);
      }
      assert.ok(own.requests.every(({ headers }) => headers.authorization === 'Bearer own-key'));
      assert.ok(other.requests.every(({ headers }) => headers.authorization === 'Bearer other-key'));
      assert.ok(proxy.connects.every(({ head }) => !head.includes('-key')));
      assert.deepEqual([own.requests.length, other.requests.length, proxy.others], [2 * runs, runs, []]);
      report({
        promise: 'S1',
        what: `${3 * runs} requests to two origins and through a proxy`,
        figure: '0 keys elsewhere',
      });
    } finally {
      await bench.close();
    }
  });
});
