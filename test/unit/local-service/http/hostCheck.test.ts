import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isFromPage, isOwnHost } from '../../../../src/local-service/http/authentication';

const request = (hosts: string[], url = '/v2') => ({ headersDistinct: { host: hosts }, url });

describe('isOwnHost', () => {
  it('accepts the two names of this service with its port', () => {
    assert.ok(isOwnHost(request(['127.0.0.1:4000']), 4000));
    assert.ok(isOwnHost(request(['localhost:4000']), 4000));
  });

  const others = [
    '127.0.0.1',
    '127.0.0.1:4001',
    'localhost',
    '127.0.0.1.evil.example:4000',
    'LOCALHOST:4000',
    '[::1]:4000',
    '0.0.0.0:4000',
  ];
  for (const host of others) {
    it(`rejects ${host}`, () => assert.equal(isOwnHost(request([host]), 4000), false));
  }

  it('rejects a missing host, two hosts, and a request target with its own host', () => {
    assert.equal(isOwnHost({ headersDistinct: {}, url: '/' }, 4000), false);
    assert.equal(isOwnHost(request(['127.0.0.1:4000', 'evil.example']), 4000), false);
    assert.equal(isOwnHost(request(['127.0.0.1:4000'], 'http://evil.example/'), 4000), false);
    assert.equal(isOwnHost(request(['127.0.0.1:4000'], '//evil.example/'), 4000), false);
  });

  it('rejects every other name', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string()), fc.nat(65535), (name, port) => {
        fc.pre(!['127.0.0.1', 'localhost'].includes(name));
        assert.equal(isOwnHost(request([`${name}:${port}`]), port), false);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe('isFromPage', () => {
  const from = (headers: Record<string, string>) => isFromPage((name) => headers[name]);
  it('recognizes headers that only a browser adds, whatever their value', () => {
    assert.ok(from({ Origin: '' }));
    assert.ok(from({ 'Sec-Fetch-Site': 'same-origin' }));
    assert.equal(from({ Accept: '*/*' }), false);
  });
});
