import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { UsageError } from '../../../src/local-service/options';
import { type HostOptions, teamBinding } from '../../../src/team-service/http/teamBinding';
import { readProxies } from '../../../src/team-service/teamCommandLine';

const PORT = 8080;
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
  return teamBinding({ ...own, ...options }).refusal(request, PORT);
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
