import assert from 'node:assert/strict';
import { DIRECT, type NetworkSettings } from '../../../src/base/network';
import { DEFAULT_TIMEOUTS, type HttpRequest, Transport } from '../../../src/client/transport';
import { ServiceError } from '../../../src/protocol/errors';
import { FaultProxy, type FaultProxyOptions } from '../../support/faultProxy';
import { ScriptedServer } from '../../support/scriptedServer';

const SERVICE = 'http://service.invalid/v2';

describe('Transport through a proxy', () => {
  const toClose: (() => Promise<unknown>)[] = [];
  let server: ScriptedServer;
  let network: NetworkSettings;
  let transport: Transport;

  beforeEach(async () => {
    server = await ScriptedServer.start({ body: 'well' });
    network = { ...DIRECT };
    transport = new Transport(DEFAULT_TIMEOUTS, () => network);
    toClose.push(
      () => server.close(),
      () => transport.dispose(),
    );
  });

  afterEach(async () => {
    await Promise.all(toClose.splice(0).map((close) => close()));
  });

  async function proxy(options: FaultProxyOptions = {}): Promise<FaultProxy> {
    const made = await FaultProxy.start({ port: Number(new URL(server.url).port), ...options });
    toClose.push(() => made.close());
    return made;
  }

  it('sends the request through a tunnel and the login only to the proxy', async () => {
    const made = await proxy({ login: 'Basic dTpw' });
    network = { ...DIRECT, proxy: made.url.replace('//', '//u:p@') };
    const headers = { authorization: 'Bearer mint_canary' };
    assert.equal((await transport.send({ method: 'POST', url: SERVICE, headers, body: '{}' })).body, 'well');
    assert.deepEqual([made.connects.map(({ authority }) => authority), made.others], [['service.invalid:80'], []]);
    assert.ok(!made.connects[0]!.head.includes('mint_canary'));
    const [seen] = server.requests;
    assert.deepEqual([seen?.path, seen?.body, seen?.headers.authorization], ['/v2', '{}', 'Bearer mint_canary']);
    assert.equal(seen?.headers['proxy-authorization'], undefined);
  });

  it('reuses a tunnel', async () => {
    const made = await proxy();
    network = { ...DIRECT, proxy: made.url };
    for (let sent = 0; sent < 6; sent++) {
      await transport.send(get(SERVICE));
    }
    assert.equal(server.requests.length, 6);
    assert.ok(made.connects.length < 4, `${made.connects.length} tunnels`);
  });

  it('does not send requests to this machine through the proxy', async () => {
    const made = await proxy();
    network = { ...DIRECT, proxy: made.url };
    assert.equal((await transport.send(get(server.url))).body, 'well');
    assert.deepEqual([made.connects.length, made.others.length], [0, 0]);
  });

  it('applies changed settings to the next request and finishes the current one unchanged', async () => {
    const [first, second] = [await proxy(), await proxy()];
    server.answers = [{ delayMs: 200, body: 'slow' }, { body: 'well' }];
    network = { ...DIRECT, proxy: first.url };
    const slow = transport.send(get(SERVICE));
    while (server.requests.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    network = { ...DIRECT, proxy: second.url };
    assert.equal((await transport.send(get(SERVICE))).body, 'well');
    assert.equal((await slow).body, 'slow');
    assert.deepEqual([first.connects.length, second.connects.length], [1, 1]);
    network = { ...network, noProxy: ['invalid'] };
    await assert.rejects(transport.send(get(SERVICE)), fails('unreachable', 'none', 'ENOTFOUND'));
  });

  it('does not bypass a proxy of an unsupported type', async () => {
    network = { ...DIRECT, proxy: 'socks5://127.0.0.1:1080' };
    await assert.rejects(transport.send(get(SERVICE)), fails('unreachable', 'none', 'PROXY_SETTING'));
  });
});

function get(url: string): HttpRequest {
  return { method: 'GET', url, headers: {} };
}

function fails(...facts: string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual([error.kind, error.effect, error.code], facts);
    return true;
  };
}
