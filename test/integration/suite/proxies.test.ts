import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationTarget, workspace } from 'vscode';
import { Redactor } from '../../../src/base/redact';
import { Transport } from '../../../src/client';
import { proxySettings } from '../../../src/extension/platform/serviceAccess';
import { ServiceError } from '../../../src/protocol/errors';
import { Authority } from '../../support/certificates';
import { FaultProxy } from '../../support/faultProxy';
import { report } from '../../support/scale';
import { ScriptedServer } from '../../support/scriptedServer';

/** A name that does not resolve: it can be reached only through the proxy. */
const HOST = 'service.invalid';
const UNTRUSTED = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
const NAMES = [
  'proxy',
  'noProxy',
  'proxySupport',
  'proxyAuthorization',
  'proxyStrictSSL',
  'systemCertificates',
] as const;

async function set(name: (typeof NAMES)[number], value: unknown): Promise<void> {
  const { globalValue } = workspace.getConfiguration('http').inspect(name) ?? {};
  if (JSON.stringify(globalValue) !== JSON.stringify(value)) {
    await workspace.getConfiguration('http').update(name, value, ConfigurationTarget.Global);
  }
}

describe('VS Code’s proxy and certificate settings, in a real host', () => {
  const toClose: (() => Promise<unknown>)[] = [];
  const redactor = new Redactor();
  let server: ScriptedServer;
  let proxy: FaultProxy;
  let transport: Transport;

  before(async () => {
    const authority = await Authority.make('CN=Authority of the company');
    const folder = await mkdtemp(join(tmpdir(), 'docs-agent-authority-'));
    // On Linux this variable names the system's certificate authorities, for Node as well, which reads them once.
    process.env['SSL_CERT_FILE'] = join(folder, 'authorities.pem');
    await writeFile(process.env['SSL_CERT_FILE'], authority.pem);
    const identity = await authority.issue({ hosts: [HOST, '127.0.0.1'] });
    server = await ScriptedServer.startSecure(identity, { body: 'well' });
    proxy = await FaultProxy.start({ port: Number(new URL(server.url).port) });
    transport = new Transport(undefined, () => proxySettings(redactor));
    toClose.push(
      () => rm(folder, { recursive: true }),
      () => transport.dispose(),
      () => server.close(),
      () => proxy.close(),
    );
  });

  afterEach(async () => {
    for (const name of NAMES) {
      await set(name, undefined);
    }
  });

  after(async () => {
    delete process.env['SSL_CERT_FILE'];
    await Promise.all(toClose.map((close) => close()));
  });

  /** Returns the response, or the code of the error that occurred before anything was sent. */
  async function ask(url = `https://${HOST}/v2`): Promise<string | undefined> {
    try {
      return (await transport.send({ method: 'GET', url, headers: { authorization: 'Bearer canary' } })).body;
    } catch (error) {
      ok(error instanceof ServiceError);
      strictEqual(error.effect, 'none');
      return error.code;
    }
  }

  it('apply in every combination, from one request to the next', async function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
    const wrong: unknown[] = [];
    let tried = 0;
    await set('proxy', proxy.url);
    for (const support of ['off', 'on', 'fallback', 'override']) {
      await set('proxySupport', support);
      for (const noProxy of [[], [HOST], ['*'], ['other.example']]) {
        await set('noProxy', noProxy);
        for (const systemCertificates of [true, false]) {
          await set('systemCertificates', systemCertificates);
          const [seen, tunnels] = [server.requests.length, proxy.connects.length];
          const direct = support === 'off' || noProxy.includes(HOST) || noProxy.includes('*');
          const expected = direct ? 'ENOTFOUND' : systemCertificates ? 'well' : UNTRUSTED;
          const found = await ask();
          const went = [server.requests.length - seen, proxy.connects.length - tunnels];
          if (found !== expected || (direct ? went[1] !== 0 : went[0] !== (found === 'well' ? 1 : 0))) {
            wrong.push({ support, noProxy, systemCertificates, found, expected, went });
          }
          tried++;
        }
      }
    }
    deepStrictEqual(wrong, []);
    report({
      promise: 'S5',
      what: `${tried} combinations of http.proxySupport, http.noProxy and a private authority, in a real host`,
      figure: 'all as documented',
    });
  });

  it('do not weaken certificate verification, whatever http.proxyStrictSSL says', async () => {
    await set('proxy', proxy.url);
    await set('systemCertificates', false);
    await set('proxyStrictSSL', false);
    strictEqual(await ask(), UNTRUSTED);
  });

  it('never route requests to this machine through a proxy', async () => {
    await set('proxy', proxy.url);
    const tunnels = proxy.connects.length;
    strictEqual(await ask(server.url), 'well');
    strictEqual(proxy.connects.length, tunnels);
  });

  it('fall back to the environment variables', async () => {
    process.env['https_proxy'] = proxy.url;
    try {
      strictEqual(await ask(), 'well');
      process.env['no_proxy'] = `other.example,${HOST}`;
      strictEqual(await ask(), 'ENOTFOUND');
      await set('noProxy', ['other.example']);
      strictEqual(await ask(), 'well');
    } finally {
      delete process.env['https_proxy'];
      delete process.env['no_proxy'];
    }
  });

  it('give the proxy credentials only to the proxy and to no log', async () => {
    const login = `Basic ${Buffer.from('user:s3cret-of-proxy').toString('base64')}`;
    const closed = await FaultProxy.start({ port: Number(new URL(server.url).port), login });
    toClose.push(() => closed.close());
    await set('proxy', closed.url);
    strictEqual(await ask(), 'PROXY_LOGIN');
    await set('proxy', closed.url.replace('//', '//user:s3cret-of-proxy@'));
    strictEqual(await ask(), 'well');
    await set('proxy', closed.url);
    await set('proxyAuthorization', login);
    strictEqual(await ask(), 'well');
    ok(server.requests.every(({ headers }) => headers['proxy-authorization'] === undefined));
    ok(closed.connects.every(({ head }) => !head.includes('canary')));
    const told = redactor.redact(`user:s3cret-of-proxy, s3cret-of-proxy, ${login}`);
    ok(!told.includes('s3cret') && !told.includes(login.slice(6)), told);
  });
});
