import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isFromPage, isOwnHost, KeyRing } from '../../../../src/local-service/http/authentication';
import { ReviewAccess } from '../../../../src/local-service/http/reviewAccess';
import { ManualClock } from '../../../support/manualClock';

const request = (hosts: string[], url = '/v2') => ({ headersDistinct: { host: hosts }, url });

describe('isOwnHost', () => {
  for (const host of ['127.0.0.1:4000', 'localhost:4001', '[::1]:4000', 'localhost']) {
    it(`accepts ${host}, because a forwarded port may have any number`, () => assert.ok(isOwnHost(request([host]))));
  }

  const others = ['127.0.0.1.evil.example:4000', 'evil.example:4000', 'localhost:x', '0.0.0.0:4000', '127.0.0.1:4000 '];
  for (const host of others) {
    it(`rejects ${host}`, () => assert.equal(isOwnHost(request([host])), false));
  }

  it('rejects a missing host, two hosts, and a request target with its own host', () => {
    assert.equal(isOwnHost({ headersDistinct: {}, url: '/' }), false);
    assert.equal(isOwnHost(request(['127.0.0.1:4000', 'evil.example'])), false);
    assert.equal(isOwnHost(request(['127.0.0.1:4000'], 'http://evil.example/')), false);
    assert.equal(isOwnHost(request(['127.0.0.1:4000'], '//evil.example/')), false);
  });

  it('rejects every other name', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string()), fc.nat(65535), (name, port) => {
        fc.pre(!['127.0.0.1', 'localhost'].includes(name) && !name.startsWith('localhost:'));
        assert.equal(isOwnHost(request([`${name}:${port}`])), false);
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

describe('KeyRing', () => {
  const ring = new KeyRing([{ key: 'local_all' }, { key: 'local_some', projects: ['docs'] }]);

  it('grants access to everything, or only to the projects of the key', () => {
    assert.equal(ring.find('Bearer local_all')?.opens('anything'), true);
    assert.equal(ring.find('bearer local_some')?.opens('docs'), true);
    assert.equal(ring.find('Bearer local_some')?.opens('other'), false);
  });

  for (const header of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'local_all',
    'Basic local_all',
    'Bearer local_all x',
    'Bearer local_al',
  ]) {
    it(`rejects ${header === undefined ? 'no header' : `“${header}”`}`, () =>
      assert.equal(ring.find(header), undefined));
  }
});

const JOB = '0123456789abcdef';

describe('review page access', () => {
  const clock = new ManualClock();
  const access = new ReviewAccess(clock);

  it('accepts each code once and only for its own job', () => {
    const code = access.newCode(JOB);
    assert.match(code, /^[A-Za-z0-9_-]{43}$/);
    assert.equal(access.redeem('another', code), false);
    assert.equal(access.redeem(JOB, code), true);
    assert.equal(access.redeem(JOB, code), false);
    assert.equal(access.redeem(JOB, ''), false);
  });

  it('rejects a code after two minutes', async () => {
    const [early, late] = [access.newCode(JOB), access.newCode(JOB)];
    await clock.advance(119_000);
    assert.equal(access.redeem(JOB, early), true);
    await clock.advance(2_000);
    assert.equal(access.redeem(JOB, late), false);
  });

  it('accepts its cookie only for one job and one service start, even among other cookies', () => {
    const visit = access.visitOf(JOB);
    const cookie = `docs-agent-review=${access.cookieOf(JOB)}`;
    assert.equal(access.admits(JOB, visit, cookie), true);
    assert.equal(access.admits(JOB, visit, `a=b; docs-agent-review=forged;${cookie}; c`), true);
    for (const wrong of ['', 'docs-agent-review=', 'docs-agent-review', `x${cookie}`, access.cookieOf(JOB)]) {
      assert.equal(access.admits(JOB, visit, wrong), false, wrong);
    }
    assert.equal(access.admits('another', access.visitOf('another'), cookie), false);
    assert.equal(access.admits(JOB, 'another', cookie), false);
    assert.equal(new ReviewAccess(clock).admits(JOB, visit, cookie), false);
  });

  it('uses unrelated values for the path and the cookie of a page', () => {
    const made = [access.visitOf(JOB), access.cookieOf(JOB), access.visitOf('another'), access.cookieOf('another')];
    assert.equal(new Set(made).size, made.length);
    assert.equal(access.visitOf(JOB), made[0]);
  });
});
