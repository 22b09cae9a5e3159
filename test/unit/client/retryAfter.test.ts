import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseRetryAfter } from '../../../src/client/answer';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 7);

describe('parseRetryAfter', () => {
  it('reads seconds', () => {
    assert.equal(parseRetryAfter('0', NOW), 0);
    assert.equal(parseRetryAfter(' 120 ', NOW), 120_000);
    assert.equal(parseRetryAfter(['3', '9'], NOW), 3000);
  });

  it('reads the three forms of an HTTP date', () => {
    for (const date of [
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
    ]) {
      assert.equal(parseRetryAfter(date, NOW), 30_000, date);
    }
  });

  it('treats a date in the past as no wait', () => {
    assert.equal(parseRetryAfter('Sun, 06 Nov 1994 08:00:00 GMT', NOW), 0);
  });

  it('measures a date from the date of the answer, if there is one', () => {
    const retry = 'Sun, 06 Nov 1994 08:49:37 GMT';
    for (const now of [NOW - 31_536_000_000, NOW, NOW + 31_536_000_000]) {
      assert.equal(parseRetryAfter(retry, now, 'Sun, 06 Nov 1994 08:49:27 GMT'), 10_000);
      assert.equal(parseRetryAfter('7', now, 'Sun, 06 Nov 1994 08:49:27 GMT'), 7000);
    }
    assert.equal(parseRetryAfter(retry, NOW, 'some day'), 30_000);
    assert.equal(parseRetryAfter(retry, NOW, 'Sun, 06 Nov 1994 10:00:00 GMT'), 0);
  });

  it('returns undefined for anything else', () => {
    for (const value of [undefined, '', ' ', 'soon', 'soon 5', '-5', '1.5', '1e3', '0x10', '120 seconds', 'Sun', []]) {
      assert.equal(parseRetryAfter(value, NOW), undefined, String(value));
    }
  });

  it('returns a wait that ends at a representable date, or nothing, for any input', () => {
    const digits = fc.integer({ min: 1, max: 400 }).map((count) => '9'.repeat(count));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), digits, fc.date().map(String)), (value) => {
        const wait = parseRetryAfter(value, NOW);
        assert.ok(wait === undefined || (wait >= 0 && !Number.isNaN(new Date(NOW + wait).getTime())), String(wait));
      }),
    );
  });
});
