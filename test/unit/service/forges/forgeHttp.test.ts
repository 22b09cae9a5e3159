import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { ForgeFailure } from '../../../../src/service/forges/forgeFailure';
import { ForgeHttp, type ForgeRequest } from '../../../../src/service/forges/forgeHttp';
import { Authority } from '../../../support/certificates';
import { ScriptedServer } from '../../../support/scriptedServer';

const request = (url: string, more: Partial<ForgeRequest> = {}): ForgeRequest => ({
  ...{ method: 'GET', url, headers: { authorization: 'Bearer x' }, signal: new AbortController().signal },
  ...more,
});

describe('ForgeHttp', function () {
  this.timeout(120_000);
  let server: ScriptedServer;
  let http: ForgeHttp;
  beforeEach(async () => {
    server = await ScriptedServer.start();
    http = new ForgeHttp({});
  });
  afterEach(async () => {
    await http.close();
    await server.close();
  });

  it('repeats a GET that came to nothing, and a POST never', async () => {
    server.answers = [{ status: 503 }, { fault: 'reset' }, { status: 200, body: 'yes' }];
    assert.equal((await http.send(request(server.url))).body, 'yes');
    server.answers = [{ status: 503 }, { status: 200 }];
    assert.equal((await http.send(request(server.url, { method: 'POST', body: '{}' }))).status, 503);
    server.answers = [{ fault: 'reset' }, { status: 200 }];
    await assert.rejects(http.send(request(server.url, { method: 'POST', body: '{}' })), ForgeFailure);
    assert.equal(server.count('POST'), 2);
  });

  it('follows a redirect on the same origin only, and sends a POST on only where it must stay one', async () => {
    const other = await ScriptedServer.start({ status: 200 });
    server.answers = [{ status: 302, headers: { location: other.url } }];
    assert.equal((await http.send(request(server.url))).status, 302);
    server.answers = [{ status: 302, headers: { location: '/there' } }, { status: 200 }];
    assert.equal((await http.send(request(server.url, { method: 'POST', body: '1' }))).status, 302);
    server.answers = [{ status: 307, headers: { location: '/there' } }, { status: 200 }];
    assert.equal((await http.send(request(server.url, { method: 'POST', body: '2' }))).status, 200);
    assert.deepEqual(
      server.requests.slice(-2).map(({ method, path, body }) => [method, path, body]),
      [
        ['POST', '/', '2'],
        ['POST', '/there', '2'],
      ],
    );
    server.answers = [{ status: 301, headers: { location: '/round' } }];
    assert.equal((await http.send(request(server.url))).status, 301);
    await other.close();
    assert.equal(other.connections, 0);
  });

  it('speaks without TLS to this machine only', async () => {
    await assert.rejects(http.send(request('http://192.0.2.1/')), /Only HTTPS leads to 192\.0\.2\.1/);
  });

  it('stops at once when the turn is stopped', async () => {
    server.answers = [{ fault: 'hang' }];
    const controller = new AbortController();
    const sending = http.send(request(server.url, { signal: controller.signal }));
    while (server.requests.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    controller.abort(new Error('stopped'));
    await assert.rejects(sending, /^Error: stopped$/);
  });

  it('goes through the proxy of the environment, and trusts nobody whom the system does not', async () => {
    const authority = await Authority.make();
    const secure = await ScriptedServer.startSecure(await authority.issue({ hosts: ['git.example.org'] }), {
      status: 200,
    });
    const asked: (string | undefined)[] = [];
    const sockets: Socket[] = [];
    const proxy = createServer();
    proxy.on('connect', ({ url }, client: Socket) => {
      asked.push(url);
      const onward = connect(Number(new URL(secure.url).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(onward).pipe(client);
      });
      sockets.push(client, onward);
      [client, onward].forEach((socket) => socket.on('error', () => socket.destroy()));
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const proxied = new ForgeHttp({ HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
    const sent = await proxied.send(request('https://git.example.org/x')).catch((error: unknown) => error);
    await proxied.close();
    sockets.forEach((socket) => socket.destroy());
    await Promise.all([secure.close(), new Promise((resolve) => proxy.close(resolve))]);
    assert.match(String(sent), /could not be reached/);
    assert.equal(asked[0], 'git.example.org:443');
    assert.equal(secure.requests.length, 0);
  });
});
