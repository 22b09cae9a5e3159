import assert from 'node:assert/strict';
import { DIRECT, type NetworkSettings, proxyFor } from '../../../src/base/network';

const PROXY = 'http://proxy.example:3128';

function through(url: string, settings: Partial<NetworkSettings> = {}): string | undefined {
  return proxyFor(new URL(url), { ...DIRECT, proxy: PROXY, ...settings })?.origin;
}

function login(settings: Partial<NetworkSettings>): string | undefined {
  return proxyFor(new URL('https://a.example'), { ...DIRECT, ...settings })?.authorization;
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('proxyFor', () => {
  it('returns the configured proxy, http or https, with or without a scheme', () => {
    assert.equal(through('https://a.example'), PROXY);
    assert.equal(through('https://a.example', { proxy: ' https://p.example/ ' }), 'https://p.example');
    assert.equal(through('https://a.example', { proxy: 'p.example:81' }), 'http://p.example:81');
    assert.equal(through('https://a.example', { proxy: '' }), undefined);
  });

  it('uses no proxy for loopback addresses', () => {
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) {
      assert.equal(through(`http://${host}:8080/v2`), undefined, host);
      assert.equal(through(`https://${host}`, { proxy: 'nonsense://' }), undefined, host);
    }
  });

  const excepted: [entry: string, direct: string[], proxied: string[]][] = [
    ['a.example', ['https://a.example', 'https://b.a.example'], ['https://ba.example', 'https://example']],
    ['.a.example', ['https://a.example', 'https://b.a.example'], ['https://ba.example']],
    ['*.a.example', ['https://b.a.example'], ['https://ba.example']],
    [' A.Example ', ['https://a.example'], ['https://b.example']],
    ['a.example:8443', ['https://a.example:8443'], ['https://a.example', 'https://a.example:84']],
    ['a.example:443', ['https://a.example', 'https://a.example:443'], ['https://a.example:8443']],
    ['10.0.0.7', ['https://10.0.0.7'], ['https://10.0.0.77', 'https://110.0.0.7']],
    ['*', ['https://a.example', 'https://10.0.0.7:1'], []],
    ['', [], ['https://a.example']],
    ['.', [], ['https://a.example']],
  ];
  for (const [entry, direct, proxied] of excepted) {
    it(`bypasses the proxy for ${JSON.stringify(entry)}`, () => {
      const noProxy = ['other.example', entry];
      direct.forEach((url) => assert.equal(through(url, { noProxy }), undefined, url));
      proxied.forEach((url) => assert.equal(through(url, { noProxy }), PROXY, url));
    });
  }

  it('returns the login from the address, or the configured one', () => {
    assert.equal(login({ proxy: PROXY }), undefined);
    assert.equal(login({ proxy: 'http://u:p%40ss@p.example' }), basic('u:p@ss'));
    assert.equal(login({ proxy: 'http://u@p.example' }), basic('u:'));
    assert.equal(login({ proxy: 'http://u:100%@p.example' }), basic('u:100%'));
    assert.equal(login({ proxy: 'http://u:p@p.example', proxyAuthorization: 'Bearer x' }), 'Bearer x');
  });

  it('throws for an unsupported proxy instead of bypassing it', () => {
    for (const proxy of ['socks5://p.example:1080', 'ftp://p.example', 'http://', 'a b']) {
      assert.throws(() => through('https://a.example', { proxy }), { code: 'PROXY_SETTING' }, proxy);
    }
  });
});
