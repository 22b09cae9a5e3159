import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ForgeFailure } from '../../../../src/local-service/forges/forgeErrors';
import { ForgeHttp, type ForgeRequest } from '../../../../src/local-service/forges/forge';
import { Authority } from '../../../support/certificates';
import { FaultProxy } from '../../../support/faultProxy';
import { ScriptedServer, type ScriptedAnswer } from '../../../support/scriptedServer';
import { openPullRequest } from '../../../support/captureForge';

const request = (url: string, more: Partial<ForgeRequest> = {}): ForgeRequest => ({
  ...{ method: 'GET', url, headers: { authorization: 'Bearer x' }, signal: new AbortController().signal },
  ...more,
});

describe('ForgeHttp', function () {
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

  it('retries a failed GET but never a POST', async () => {
    server.answers = [{ status: 503 }, { fault: 'reset' }, { status: 200, body: 'yes' }];
    assert.equal((await http.send(request(server.url))).body, 'yes');
    server.answers = [{ status: 503 }, { status: 200 }];
    assert.equal((await http.send(request(server.url, { method: 'POST', body: '{}' }))).status, 503);
    server.answers = [{ fault: 'reset' }, { status: 200 }];
    await assert.rejects(http.send(request(server.url, { method: 'POST', body: '{}' })), ForgeFailure);
    assert.equal(server.count('POST'), 2);
  });

  it('follows same-origin redirects only, and for a POST only those that preserve the method', async () => {
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

  it('allows plain HTTP only to this machine', async () => {
    await assert.rejects(http.send(request('http://192.0.2.1/')), /192\.0\.2\.1 can be reached only over HTTPS/);
  });

  it('aborts immediately when the turn is stopped', async () => {
    server.answers = [{ fault: 'hang' }];
    const controller = new AbortController();
    const sending = http.send(request(server.url, { signal: controller.signal }));
    while (server.requests.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    controller.abort(new Error('stopped'));
    await assert.rejects(sending, /^Error: stopped$/);
  });

  it('uses the proxy from the environment and trusts only the system’s certificates', async () => {
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
    assert.match(String(sent), /Couldn’t verify the certificate of git\.example\.org: .*NODE_EXTRA_CA_CERTS/);
    assert.equal(asked[0], 'git.example.org:443');
    assert.equal(secure.requests.length, 0);
  });

  describe('through a proxy', () => {
    const usual = getCACertificates('default');
    let authority: Authority;
    let secure: ScriptedServer;
    let proxy: FaultProxy | undefined;
    beforeEach(async () => {
      authority = await Authority.make();
      setDefaultCACertificates([authority.pem]);
      secure = await ScriptedServer.startSecure(await authority.issue({ hosts: ['git.example.org'] }), {
        body: 'well',
      });
    });
    afterEach(async () => {
      setDefaultCACertificates(usual);
      await proxy?.close();
      await secure.close();
    });

    async function by(address: (url: string) => string, login?: string): Promise<ForgeHttp> {
      proxy = await FaultProxy.start({ port: Number(new URL(secure.url).port), ...(login && { login }) });
      return new ForgeHttp({ https_proxy: address(proxy.url) });
    }

    it('reveals only the host name and the proxy login to the proxy', async () => {
      const through = await by((url) => url.replace('//', '//u:p@'), 'Basic dTpw');
      const sent = await through.send(request('https://git.example.org/x', { method: 'POST', body: '{}' }));
      assert.deepEqual([sent.status, sent.body, secure.requests[0]?.body], [200, 'well', '{}']);
      assert.equal(secure.requests[0]?.headers['proxy-authorization'], undefined);
      assert.deepEqual(
        proxy?.connects.map(({ authority: asked }) => asked),
        ['git.example.org:443'],
      );
      assert.ok(!proxy.connects.some(({ head }) => head.includes('Bearer x')));
    });

    it('reports what is wrong with the proxy and sends nothing', async () => {
      const asked = (url: string) => request(url, { method: 'POST', body: '{}' });
      const refused = await by((url) => url, 'Basic dTpw');
      await assert.rejects(refused.send(asked('https://git.example.org/')), /Couldn’t reach .+ \(PROXY_LOGIN\)/);
      const unknown = new ForgeHttp({ HTTPS_PROXY: 'socks5://127.0.0.1:9' });
      await assert.rejects(unknown.send(asked('https://git.example.org/')), /HTTPS_PROXY or HTTP_PROXY/);
      assert.equal(secure.requests.length, 0);
    });

    it('rejects a certificate issued for another host', async () => {
      const through = await by((url) => url);
      await assert.rejects(
        through.send(request('https://other.example.org/')),
        /Couldn’t verify the certificate of other\.example\.org: Hostname/,
      );
      assert.equal(secure.requests.length, 0);
    });
  });

  it('gives up on a host that is silent, stalls, sends too much or disconnects', async () => {
    const hasty = new ForgeHttp({}, 300);
    server.answers = [{ fault: 'hang' }];
    await assert.rejects(hasty.send(request(server.url, { method: 'POST' })), /didn’t respond in time/);
    server.answers = [{ fault: 'stall', body: 'x' }];
    await assert.rejects(hasty.send(request(server.url, { method: 'POST' })), /didn’t respond in time/);
    server.answers = [{ status: 200, body: 'x'.repeat(5 * 1024 * 1024) }];
    await assert.rejects(http.send(request(server.url, { method: 'POST' })), /Couldn’t reach/);
    server.answers = [{ fault: 'cut', body: 'x' }];
    await assert.rejects(http.send(request(server.url, { method: 'POST' })), /Couldn’t reach/);
  });

  it('aborts pending requests when it is closed', async () => {
    server.answers = [{ fault: 'hang' }];
    const sending = assert.rejects(http.send(request(server.url, { method: 'POST' })), /Couldn’t reach/);
    while (server.requests.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await http.close();
    await sending;
  });

  it('does not retry permanent errors', async () => {
    const socks = new ForgeHttp({ HTTPS_PROXY: 'socks5://127.0.0.1:9' });
    const closed = new ForgeHttp({});
    await closed.close();
    const pauses = mock.method(globalThis, 'setTimeout');
    try {
      await assert.rejects(
        socks.send(request('https://git.example.org/')),
        /isn’t an HTTP or HTTPS proxy URL, so git\.example\.org couldn’t be reached/,
      );
      await assert.rejects(closed.send(request(server.url)), /Couldn’t reach/);
      await assert.rejects(http.send(request('http://192.0.2.1/')), /can be reached only over HTTPS/);
      assert.deepEqual(
        pauses.mock.calls.filter(({ arguments: [, ms] }) => ms === 300),
        [],
      );
    } finally {
      pauses.mock.restore();
    }
  });
});

const KINDS = ['github', 'gitlab', 'gitea', 'bitbucket'] as const;
const WISH = { branch: 'docs-agent/job1', base: 'main', title: 'Title', body: 'Body' };
const TOKEN = 'very-secret-token';

describe('handling of Git host errors', function () {
  let server: ScriptedServer;
  let http: ForgeHttp;
  beforeEach(async () => {
    server = await ScriptedServer.start();
    http = new ForgeHttp({}, 20_000);
  });
  afterEach(async () => {
    await http.close();
    await server.close();
  });

  const open = (kind: (typeof KINDS)[number], patient = http): Promise<string> =>
    openPullRequest(
      kind,
      {
        ...{ http: patient, host: 'git.example.org', url: server.url, repository: 'robin/lighthouse' },
        ...{ webUrl: 'https://git.example.org/robin/lighthouse', credential: { token: TOKEN } },
        signal: new AbortController().signal,
      },
      WISH,
    );
  const failure = async (kind: (typeof KINDS)[number], patient?: ForgeHttp): Promise<string> => {
    const error = await open(kind, patient).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ForgeFailure, String(error));
    return error.message;
  };

  const cases: [string, ScriptedAnswer, RegExp][] = [
    [
      'a token that is none',
      { status: 401, body: { message: 'Bad credentials' } },
      /didn’t accept the token \(Bad credentials\)\. Sign in with “Docs Agent: Manage Local Service…”/,
    ],
    [
      'a token that may not',
      { status: 403, body: { message: 'Resource not accessible' } },
      /doesn’t let this token access pull requests in robin\/lighthouse \(Resource not accessible\)/,
    ],
    [
      'a limit',
      { status: 403, headers: { 'x-ratelimit-remaining': '0' }, body: {} },
      /is rate limiting you\. Send a follow-up later/,
    ],
    [
      'a limit with a time',
      { status: 429, headers: { 'retry-after': '90' }, body: {} },
      /is rate limiting you for another 2 minutes/,
    ],
    [
      'a repository that is not shown',
      { status: 404, body: { message: 'Not Found' } },
      /This token can’t access robin\/lighthouse on/,
    ],
    [
      'a validation',
      { status: 422, body: { message: 'Validation Failed', errors: [{ message: 'No commits between main and x' }] } },
      /rejected the pull request \(Validation Failed; No commits between main and x\)/,
    ],
    [
      'an error of a megabyte',
      { status: 422, body: { message: 'a'.repeat(1_000_000) } },
      /rejected the pull request \(a{999}…\)/,
    ],
    ['a fault', { status: 500, body: '<html>' }, /is having problems \(status 500\)/],
    ['a way to another host', { status: 302, headers: { location: 'https://evil.example/x' } }, /redirects /],
    [
      'words with the token and a colour',
      { status: 400, body: { error: `\u001b[31m${TOKEN}\u001b[0m is bad` } },
      /rejected the pull request \(\[secret\] is bad\)/,
    ],
  ];
  for (const kind of KINDS) {
    it(`${kind}: does not use overlong names from a response`, async () => {
      const name = 'x'.repeat(100_000);
      const fields = {
        id: 1,
        name: 'lighthouse',
        owner: { login: 'robin' },
        default_branch: name,
        mainbranch: { name },
      };
      server.choose = () => ({ body: fields });
      await assert.rejects(open(kind));
      assert.ok(server.requests.every(({ path, body }) => path.length + body.length < 5_000));
    });

    for (const [what, answer, words] of cases) {
      it(`${kind}: explains ${what}`, async () => {
        server.answers = [answer];
        const message = await failure(kind);
        assert.match(message, words);
        assert.doesNotMatch(message, new RegExp(TOKEN));
      });
    }

    it(`${kind}: rejects a malformed response`, async () => {
      server.answers = [{ status: 200, body: { nothing: true } }];
      await assert.rejects(open(kind));
    });

    it(`${kind}: retries a lost request and gives up after the third attempt`, async () => {
      server.answers = [{ fault: 'reset' }];
      assert.match(await failure(kind), /Couldn’t reach/);
      assert.equal(server.requests.length, 3);
    });
  }

  it('gives up on a host that does not answer', async () => {
    server.answers = [{ fault: 'hang' }];
    const patient = new ForgeHttp({}, 300);
    assert.match(await failure('github', patient), /didn’t respond in time/);
    await patient.close();
  });

  it('does not read an endless response', async () => {
    server.answers = [{ fault: 'endless' }];
    assert.match(await failure('github'), /Couldn’t reach|didn’t respond/);
  });

  it('follows a repository that moved on the same host', async () => {
    const repository = { name: 'new', owner: { login: 'team' }, default_branch: 'main' };
    server.choose = ({ method, path }) => {
      if (path === '/repos/robin/lighthouse') {
        return { status: 301, headers: { location: '/repositories/7' } };
      }
      if (path === '/repositories/7') {
        return { status: 200, body: repository };
      }
      const isNew = method === 'POST' && path === '/repos/team/new/pulls';
      return isNew ? { status: 201, body: { number: 3, html_url: 'javascript:alert(1)' } } : { status: 200, body: [] };
    };
    // The invalid link in the response is not used.
    assert.equal(await open('github'), 'https://git.example.org/robin/lighthouse/pull/3');
  });

  it('looks for the pull request after a failed request and does not send the request again', async () => {
    let opened = false;
    server.choose = ({ method, path }) => {
      if (path === '/repos/robin/lighthouse') {
        return { status: 200, body: { name: 'lighthouse', owner: { login: 'robin' }, default_branch: 'main' } };
      }
      if (method === 'POST') {
        opened = true;
        return { fault: 'reset' };
      }
      const pull = { number: 9, html_url: 'https://git.example.org/p/9', state: 'open', head: { ref: WISH.branch } };
      return { status: 200, body: opened ? [pull] : [] };
    };
    assert.equal(await open('github'), 'https://git.example.org/p/9');
    assert.equal(server.count('POST'), 1);
  });
});
