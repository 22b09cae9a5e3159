import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import type { JobOperations } from '../../../src/local-service/jobs/jobOperations';
import { UsageError } from '../../../src/local-service/options';
import type { ActivityLogStore, JobStore } from '../../../src/local-service/store/jobStore';
import { createTeamApp } from '../../../src/team-service/http/teamApp';
import { type HostOptions, teamBinding } from '../../../src/team-service/http/teamBinding';
import { NothingDone } from '../../../src/team-service/store/connectDatabase';
import { readProxies } from '../../../src/team-service/teamCommandLine';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Projects `p1`, `p2`, …, whose jobs are `p1-1` and so on. Their activity logs stay empty. */
const store: Partial<JobStore & ActivityLogStore> = {
  project: async (id) => ({ id, name: id, folder: '', settings: {} }) as never,
  jobWithTurns: async (id) => ({ id, projectId: id.split('-')[0], turns: [] }) as never,
  activity: async () => [],
  onActivity: () => ({ dispose: () => undefined }),
};

describe('the log that anyone can make the service for a team write', () => {
  const down = async () => Promise.reject(new Error('the database is down'));
  const busy = async () => Promise.reject(new NothingDone({ message: 'too many connections', code: '53300' }));
  for (const { what, path, status, checkReady = async () => undefined, find = () => undefined } of [
    { what: 'a wrong key', path: '/v2/agent/p1/jobs', status: 401 },
    { what: 'a key that can’t be checked', path: '/v2/agent/p1/jobs', status: 503, find: busy },
    { what: 'that it isn’t ready', path: '/readyz', status: 503, checkReady: down },
  ]) {
    it(`has at most one line per minute: ${what}`, async () => {
      const lines: string[] = [];
      let now = 0;
      const app = createTeamApp({
        ...{ keys: { find }, store: store as JobStore & ActivityLogStore, jobs: {} as JobOperations },
        ...{ checkReady, metrics: async () => '', ending: new AbortController().signal },
        log: { ...log, warn: (line) => lines.push(line) },
        clock: { monotonic: () => now },
      });
      for (const at of [0, 1_000, 59_999, 60_000]) {
        now = at;
        assert.equal((await app.request(path)).status, status);
      }
      assert.deepEqual(
        lines.map((line) => /: (\d+)$/.exec(line)?.[1]),
        ['1', '3'],
      );
    });
  }
});

describe('readers of activity logs in the service for a team', () => {
  const ending = new AbortController();
  const app = createTeamApp({
    keys: { find: () => ({ opens: () => true, isServiceWide: false, mayWrite: false }) },
    store: store as JobStore & ActivityLogStore,
    jobs: {} as JobOperations,
    checkReady: async () => undefined,
    metrics: async () => '',
    log,
    ending: ending.signal,
  });
  after(() => ending.abort());

  it('are 200 at most, so that requests get a connection, and leave room when they go', async () => {
    const follow = async () => app.request('/v2/agent/p1/job/p1-1/events');
    const answers = await Promise.all(Array.from({ length: 200 }, follow));
    assert.ok(answers.every(({ status }) => status === 200));
    const refused = await follow();
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers.get('Retry-After')) > 0);
    await answers[0]?.body?.cancel();
    assert.equal((await follow()).status, 200);
  });
});

const tls = { cert: Buffer.of(), key: Buffer.of() };
const own: HostOptions = { host: '127.0.0.1', publicUrl: undefined, proxies: undefined, tls: undefined };
const publicUrl = new URL('https://jobs.example');

interface Sent {
  url?: string;
  from?: string;
  headers?: Record<string, string | string[]>;
}

function refusal(options: Partial<HostOptions>, { url = '/v2/agent', from = '127.0.0.1', headers = {} }: Sent) {
  const headersDistinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()]));
  const request = { url, headersDistinct, socket: { remoteAddress: from } } as unknown as IncomingMessage;
  return teamBinding({ ...own, ...options }).refusal(request);
}

describe('teamBinding', () => {
  it('listens beyond this machine only with TLS or behind a proxy, and with a public address', () => {
    const proxies = readProxies(['10.0.0.1']);
    assert.throws(() => teamBinding({ ...own, host: '0.0.0.0', publicUrl }), UsageError);
    assert.throws(() => teamBinding({ ...own, host: '::', proxies }), /--public-url/);
    assert.throws(() => teamBinding({ ...own, host: '192.0.2.1', tls }), /--public-url/);
    for (const options of [{ tls }, { proxies }]) {
      assert.equal(teamBinding({ ...own, ...options, host: '0.0.0.0', publicUrl }).host, '0.0.0.0');
    }
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
      assert.equal(teamBinding({ ...own, host }).host, host);
    }
  });

  it('accepts only its own host names', () => {
    for (const host of ['127.0.0.1:8080', 'localhost:8080', 'jobs.example', 'jobs.example:443', 'JOBS.example']) {
      assert.equal(refusal({ publicUrl }, { headers: { host } }), undefined, host);
    }
    for (const host of [
      'evil.example',
      'jobs.example:8080',
      'jobs.example@evil.example',
      'evil.example/jobs.example',
      '',
    ]) {
      assert.match(refusal({ publicUrl }, { headers: { host } }) ?? '', /Host/, host);
    }
    assert.match(refusal({ publicUrl }, { headers: {} }) ?? '', /Host/);
    assert.match(refusal({ publicUrl }, { headers: { host: ['jobs.example', 'jobs.example'] } }) ?? '', /Host/);
    assert.match(
      refusal({ publicUrl }, { url: 'http://jobs.example/', headers: { host: 'jobs.example' } }) ?? '',
      /Host/,
    );
    assert.match(refusal({ publicUrl }, { url: '//jobs.example/', headers: { host: 'jobs.example' } }) ?? '', /Host/);
  });

  it('says which host it was asked for, which one is right, and what to set', () => {
    const sent = { headers: { host: `\x1b<b>é${'x'.repeat(1_000)}` } };
    const got = `The Host header is “?<b>?${'x'.repeat(95)}”, but`;
    const [own = '', named = ''] = [
      refusal({}, sent),
      refusal({ publicUrl: new URL('https://jobs.example:8443') }, sent),
    ];
    assert.ok(own.startsWith(`${got} without --public-url, this service answers only to 127.0.0.1`), own);
    assert.ok(named.startsWith(`${got} clients reach this service at “jobs.example:8443”. Let the proxy`), named);
  });

  it('reads X-Forwarded headers only from a configured proxy', () => {
    const headers = { host: '10.0.0.9:8080', 'x-forwarded-host': 'jobs.example', 'x-forwarded-proto': 'https' };
    const proxies = readProxies(['10.0.0.0/8, fd00::1']);
    for (const from of ['10.0.0.9', '::ffff:10.1.2.3', 'fd00::1']) {
      assert.equal(refusal({ publicUrl, proxies }, { headers, from }), undefined, from);
    }
    assert.match(refusal({ publicUrl, proxies }, { headers, from: '192.0.2.1' }) ?? '', /only from its proxy/);
    assert.match(refusal({ publicUrl, proxies }, { headers, from: '127.0.0.1' }) ?? '', /Host/);
    assert.match(refusal({ publicUrl }, { headers, from: '10.0.0.9' }) ?? '', /Host/);
  });

  it('refuses requests that reached the proxy without HTTPS', () => {
    const proxies = readProxies(['10.0.0.1']);
    const sent = (proto: string) => ({
      from: '10.0.0.1',
      headers: { host: 'jobs.example', 'x-forwarded-proto': proto },
    });
    assert.match(refusal({ publicUrl, proxies }, sent('http')) ?? '', /https/);
    assert.equal(refusal({ publicUrl, proxies }, sent('https')), undefined);
  });

  it('answers probes from anywhere, and requests for metrics from the proxy with any host name', () => {
    const proxies = readProxies(['10.0.0.1']);
    const from = (url: string, address: string) =>
      refusal({ publicUrl, proxies }, { url, from: address, headers: { host: 'api:8080' } });
    assert.equal(from('/healthz', '192.0.2.1'), undefined);
    assert.equal(from('/readyz?verbose', '192.0.2.1'), undefined);
    assert.match(from('/metrics', '192.0.2.1') ?? '', /proxy/);
    assert.equal(from('/metrics', '10.0.0.1'), undefined);
    assert.match(from('/healthzz', '10.0.0.1') ?? '', /Host/);
  });
});

describe('readProxies', () => {
  it('rejects anything that is not an address or a network, and the network of all addresses', () => {
    for (const text of ['', 'proxy', '10.0.0.1/33', '10.0.0.1/8/8', '10.0.0.1/x', '0.0.0.0/0', '::/0', '::1/129']) {
      assert.throws(() => readProxies([text]), UsageError, text);
    }
    assert.equal(readProxies(undefined), undefined);
  });
});
