import assert from 'node:assert/strict';
import fc from 'fast-check';
import { backoffDelay, growingDelay, MAX_RETRY_AFTER_MS } from '../../../src/base/async';

const backoffs = fc
  .record({ baseMs: fc.integer({ min: 1, max: 10_000 }), factor: fc.integer({ min: 1, max: 1000 }) })
  .map(({ baseMs, factor }) => ({ baseMs, capMs: baseMs * factor }));
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const failures = fc.integer({ min: 1, max: 1_000_000 });

describe('backoffDelay', () => {
  it('stays between base and cap', () => {
    fc.assert(
      fc.property(backoffs, failures, randoms, (backoff, count, random) => {
        const wait = backoffDelay(backoff, count, random);
        assert.ok(wait >= backoff.baseMs && wait <= backoff.capMs, String(wait));
      }),
    );
  });

  it('grows with each failure up to the cap', () => {
    const backoff = { baseMs: 1000, capMs: 8000 };
    const waits = [1, 2, 3, 4, 5, 1_000_000].map((count) => backoffDelay(backoff, count, 1));
    assert.deepEqual(waits, [2000, 4000, 8000, 8000, 8000, 8000]);
    assert.equal(backoffDelay(backoff, 3, 0), 1000);
  });

  it('waits at least as long as the service asks, up to an hour', () => {
    const asked = fc.oneof(fc.integer({ min: 0, max: 2 * MAX_RETRY_AFTER_MS }), fc.constant(Infinity));
    fc.assert(
      fc.property(backoffs, failures, randoms, asked, (backoff, count, random, retryAfterMs) => {
        const wait = backoffDelay(backoff, count, random, retryAfterMs);
        assert.ok(wait >= Math.min(retryAfterMs, 3_600_000), String(wait));
        assert.ok(wait <= Math.max(3_600_000, backoff.capMs), String(wait));
      }),
    );
  });
});

describe('growingDelay', () => {
  const backoff = { baseMs: 5000, capMs: 300_000 };

  it('grows from base to cap for any random value', () => {
    const shortest = [1, 2, 3, 4, 5, 6, 7, 1_000_000].map((count) => growingDelay(backoff, count, 0));
    assert.deepEqual(shortest, [5000, 10_000, 20_000, 40_000, 80_000, 160_000, 240_000, 240_000]);
    fc.assert(
      fc.property(backoffs, failures, randoms, (each, count, random) => {
        const wait = growingDelay(each, count, random);
        assert.ok(wait <= each.capMs && wait >= Math.min(each.baseMs, each.capMs / 1.25), String(wait));
      }),
    );
  });

  it('waits longer if the service asks for it, up to an hour', () => {
    assert.equal(growingDelay(backoff, 1, 0, 60_000), 60_000);
    assert.equal(growingDelay(backoff, 5, 0, 60_000), 80_000);
    assert.equal(growingDelay(backoff, 5, 0, Infinity), MAX_RETRY_AFTER_MS);
  });
});
