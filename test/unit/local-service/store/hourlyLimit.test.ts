import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HOUR_MS, limitWaitMs } from '../../../../src/local-service/store/hourlyLimit';

describe('limitWaitMs', () => {
  it('returns how long ago the n-th newest request has to be', () => {
    assert.equal(limitWaitMs(undefined, 10), 0);
    assert.equal(limitWaitMs(0, 10), HOUR_MS - 10);
    assert.equal(limitWaitMs(0, HOUR_MS), 0);
  });

  it('never allows more than the limit within any hour', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(HOUR_MS / 4), { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (pauses, limit) => {
        const taken: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          if (limitWaitMs(taken.at(-limit), now) === 0) {
            taken.push(now);
          }
          assert.ok(taken.filter((time) => time > now - HOUR_MS).length <= limit);
        }
      }),
    );
  });
});
