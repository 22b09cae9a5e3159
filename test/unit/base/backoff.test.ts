import assert from 'node:assert/strict';
import fc from 'fast-check';
import { backoffDelay, growingDelay } from '../../../src/base/async';
import { MAX_RETRY_AFTER_MS } from '../../../src/base/limits';

const backoffs = fc
  .record({ baseMs: fc.integer({ min: 1, max: 10_000 }), factor: fc.integer({ min: 1, max: 1000 }) })
  .map(({ baseMs, factor }) => ({ baseMs, capMs: baseMs * factor }));
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const failures = fc.integer({ min: 1, max: 1_000_000 });

for (const [name, delayOf, spread] of [
  ['backoffDelay', backoffDelay, 1],
  ['growingDelay', growingDelay, 1.25],
] as const) {
  describe(name, () => {
    it('stays between base and cap, and waits as long as the service asks, up to an hour', () => {
      const asked = fc.oneof(fc.integer({ min: 0, max: 2 * MAX_RETRY_AFTER_MS }), fc.constant(Infinity));
      fc.assert(
        fc.property(backoffs, failures, randoms, asked, (backoff, count, random, retryAfterMs) => {
          const wait = delayOf(backoff, count, random);
          assert.ok(wait >= Math.min(backoff.baseMs, backoff.capMs / spread) && wait <= backoff.capMs, String(wait));
          const longer = delayOf(backoff, count, random, retryAfterMs);
          assert.equal(longer, Math.max(wait, Math.min(retryAfterMs, 3_600_000)));
        }),
      );
    });
  });
}

describe('both delays', () => {
  it('grow with each failure up to the cap', () => {
    const counts = [1, 2, 3, 4, 5, 1_000_000];
    const waits = counts.map((count) => backoffDelay({ baseMs: 1000, capMs: 8000 }, count, 1));
    assert.deepEqual(waits, [2000, 4000, 8000, 8000, 8000, 8000]);
    const growing = counts.map((count) => growingDelay({ baseMs: 5000, capMs: 300_000 }, count, 0));
    assert.deepEqual(growing, [5000, 10_000, 20_000, 40_000, 80_000, 240_000]);
  });
});
