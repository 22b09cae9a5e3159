import { ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { MAX_POLL_MS, MIN_POLL_MS, nextPollDelay } from '../../../src/jobs/pollSchedule';

describe('nextPollDelay', () => {
  it('is 1.2 times the square root of the age in seconds', () => {
    strictEqual(nextPollDelay(100_000, 0.5), 12_000);
    strictEqual(nextPollDelay(900_000, 0.5), 36_000);
  });

  it('stays between two seconds and a minute for any age', () => {
    const ages = fc.double({ min: -1e13, max: 1e13, noNaN: true });
    fc.assert(
      fc.property(ages, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (age, random) => {
        const delay = nextPollDelay(age, random);
        ok(delay >= MIN_POLL_MS && delay <= MAX_POLL_MS);
      }),
    );
  });

  it('spreads jobs of the same age', () => {
    ok(nextPollDelay(100_000, 0.9) - nextPollDelay(100_000, 0.1) > 1000);
  });
});
