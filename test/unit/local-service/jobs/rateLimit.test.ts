import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HOUR_MS, RateLimit } from '../../../../src/local-service/jobs/rateLimit';

const storeOf = (times: number[]) => ({
  nthNewest: (_project: string, _operation: string, n: number, until: number) =>
    times.filter((time) => time <= until).toSorted((a, b) => b - a)[n - 1],
});

describe('RateLimit', () => {
  it('allows requests up to the limit and returns when the next one is allowed', () => {
    assert.equal(new RateLimit(storeOf([0]), 2).waitMs('p', 'create', 10), 0);
    assert.equal(new RateLimit(storeOf([0, 5]), 2).waitMs('p', 'create', 10), HOUR_MS - 10);
    assert.equal(new RateLimit(storeOf([0, 5]), 2).waitMs('p', 'create', HOUR_MS), 0);
  });

  it('ignores requests recorded while the clock was ahead', () => {
    const year = 365 * 24 * HOUR_MS;
    assert.equal(new RateLimit(storeOf([year, year + 1]), 2).waitMs('p', 'create', 10), 0);
    assert.equal(new RateLimit(storeOf([year, 0, 5]), 2).waitMs('p', 'create', 10), HOUR_MS - 10);
  });

  it('never allows more than the limit within any hour', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(HOUR_MS / 4), { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (pauses, limit) => {
        const taken: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          if (new RateLimit(storeOf(taken), limit).waitMs('p', 'create', now) === 0) {
            taken.push(now);
          }
          assert.ok(taken.filter((time) => time > now - HOUR_MS).length <= limit);
        }
      }),
      { seed: 7 },
    );
  });
});
