import assert from 'node:assert/strict';
import { isLoopback } from '../../../src/base/network';
import { parseBaseUrl } from '../../../src/extension/platform/baseUrl';

describe('parseBaseUrl', () => {
  const table: [string, ReturnType<typeof parseBaseUrl>][] = [
    ['https://api.mintlify.com', both('https://api.mintlify.com')],
    ['https://api.mintlify.com/', both('https://api.mintlify.com')],
    ['https://H.example:8443/a/b//', { origin: 'https://h.example:8443', baseUrl: 'https://h.example:8443/a/b' }],
    ['https://h.example:443/a', { origin: 'https://h.example', baseUrl: 'https://h.example/a' }],
    ['https://h.example/a/../b', { origin: 'https://h.example', baseUrl: 'https://h.example/b' }],
    ['http://127.0.0.1:9/', both('http://127.0.0.1:9')],
    ['http://localhost:9', both('http://localhost:9')],
    ['http://[::1]:9', both('http://[::1]:9')],
    ['', { problem: 'invalid' }],
    ['api.mintlify.com', { problem: 'invalid' }],
    ['https://', { problem: 'invalid' }],
    [`https://h.example/${'a'.repeat(2_000)}`, { problem: 'invalid' }],
    ['https://h.example:99999', { problem: 'invalid' }],
    ['http://api.mintlify.com', { problem: 'insecure' }],
    ['http://127.0.0.1.evil.example', { problem: 'insecure' }],
    ['ftp://h.example', { problem: 'insecure' }],
    ['file:///etc', { problem: 'insecure' }],
    ['javascript:alert(1)', { problem: 'insecure' }],
    ['ws://localhost', { problem: 'insecure' }],
    ['https://api.mintlify.com@evil.example', { problem: 'userInfo' }],
    ['https://:word@h.example', { problem: 'userInfo' }],
    ['https://h.example/?a=b', { problem: 'query' }],
    ['https://h.example/#a', { problem: 'query' }],
  ];
  for (const [text, expected] of table) {
    it(`parses ${JSON.stringify(text.slice(0, 100))}`, () => assert.deepEqual(parseBaseUrl(text), expected));
  }
});

describe('isLoopback', () => {
  it('is true only for addresses of this machine', () => {
    for (const host of ['localhost', '127.0.0.1', '127.255.255.254', '[::1]']) {
      assert.equal(isLoopback(host), true, host);
    }
    for (const host of ['', '0.0.0.0', '127.0.0.1.x', 'a.localhost', '128.0.0.1', '[::]', '[::2]', 'localhost.']) {
      assert.equal(isLoopback(host), false, host);
    }
  });
});

function both(url: string): { origin: string; baseUrl: string } {
  return { origin: url, baseUrl: url };
}
