import { ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { planAfter } from '../../../src/jobs/pollPlan';
import { MAX_POLL_MS, MIN_POLL_MS, OLD_MS, nextPollDelay, startOf, usualGap } from '../../../src/jobs/pollSchedule';
import { ManualClock } from '../../support/manualClock';
import { snapshot, trackedJob } from '../../support/trackedJob';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const anyAge = fc.double({ min: -1e13, max: 1e13, noNaN: true });
const anyPlan = fc.array(fc.double({ min: 0, max: 1e10, noNaN: true }), { maxLength: 20 }).map(planAfter);

describe('nextPollDelay', () => {
  it('comes soon at first, then after a tenth of the age less a little, and of an older job after a root of the age', () => {
    strictEqual(nextPollDelay(0, 0.5), 2000);
    strictEqual(nextPollDelay(30_000, 0.5), 6500);
    strictEqual(nextPollDelay(100_000, 0.5), 9000);
    strictEqual(nextPollDelay(900_000, 0.5), 36_000);
  });

  it('stays between two seconds and a minute, and above a minute for an old job, with any plan', () => {
    fc.assert(
      fc.property(anyAge, random, anyPlan, (age, dice, plan) => {
        const delay = nextPollDelay(age, dice, plan);
        const old = age >= OLD_MS;
        ok(delay >= (old ? MAX_POLL_MS : MIN_POLL_MS) && delay <= MAX_POLL_MS * (old ? 1.1 : 1), `${delay}`);
      }),
    );
  });

  it('never becomes shorter as a job grows older, without a plan', () => {
    fc.assert(
      fc.property(anyAge, anyAge, random, (a, b, dice) => {
        ok(nextPollDelay(Math.min(a, b), dice) <= nextPollDelay(Math.max(a, b), dice));
      }),
    );
  });

  it('is no more than a tenth of the age from a minute and a quarter on, so that nothing is noticed late', () => {
    fc.assert(
      fc.property(fc.double({ min: 75_000, max: OLD_MS, maxExcluded: true, noNaN: true }), random, (age, dice) => {
        ok(nextPollDelay(age, dice) <= age / 10);
      }),
    );
  });

  it('spreads jobs of the same age', () => {
    ok(nextPollDelay(100_000, 0.9) - nextPollDelay(100_000, 0.1) > 1000);
    ok(nextPollDelay(OLD_MS, 0.9) - nextPollDelay(OLD_MS, 0.1) > 1000);
  });

  it('takes a job for an old one whose start lies in the future, because the clock was set back', () => {
    const clock = new ManualClock();
    const began = clock.now();
    const job = trackedJob({ acceptedAt: began, snapshot: snapshot('active') });
    clock.jump(-60_000);
    ok(clock.monotonic() - startOf(job, clock) >= OLD_MS);
  });

  it('is a rule that knows no gap below two seconds', () => strictEqual(usualGap(0), 2));
});
