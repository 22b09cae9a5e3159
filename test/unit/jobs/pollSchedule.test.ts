import { ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { JITTER, MAX_POLL_MS, MIN_POLL_MS, nextPollDelay, getRunStart } from '../../../src/jobs/pollSchedule';
import { ManualClock } from '../../support/manualClock';
import { snapshot, trackedJob } from '../../support/trackedJob';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const anyAge = fc.double({ min: -1e13, max: 1e13, noNaN: true });

describe('nextPollDelay', () => {
  it('grows with the square root of the seconds since the prompt', () => {
    strictEqual(nextPollDelay(0, 0), 2000);
    strictEqual(nextPollDelay(100_000, 0), 12_000);
    strictEqual(nextPollDelay(900_000, 0), 36_000);
    strictEqual(nextPollDelay(86_400_000, 0), 60_000);
  });

  it('stays between 2 and 60 seconds plus jitter and never shrinks as the job gets older', () => {
    fc.assert(
      fc.property(anyAge, anyAge, random, (a, b, dice) => {
        const [younger, older] = [nextPollDelay(Math.min(a, b), dice), nextPollDelay(Math.max(a, b), dice)];
        ok(MIN_POLL_MS <= younger && younger <= older && older <= MAX_POLL_MS * (1 + JITTER), `${younger}, ${older}`);
      }),
    );
  });

  it('differs for jobs of the same age', () => {
    ok(nextPollDelay(100_000, 0.9) - nextPollDelay(100_000, 0.1) > 900);
  });

  it('is the maximum for a job that starts in the future because the clock was set back', () => {
    const clock = new ManualClock();
    const job = trackedJob({ acceptedAt: clock.now(), snapshot: snapshot('active') });
    clock.jump(-60_000);
    strictEqual(nextPollDelay(clock.monotonic() - getRunStart(job, clock), 0), MAX_POLL_MS);
  });
});
