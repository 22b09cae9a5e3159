import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { RateLimitBackoff } from '../../../src/jobs/delivery';
import type { OutgoingPrompt } from '../../../src/jobs/trackedJob';
import { ManualClock } from '../../support/manualClock';

const send: OutgoingPrompt = { id: 's', kind: 'create', prompt: 'Explain', at: 0, state: 'sending', attempt: 1 };

describe('waits of RateLimitBackoff', () => {
  let clock: ManualClock;
  let waits: RateLimitBackoff;

  beforeEach(() => {
    clock = new ManualClock();
    waits = new RateLimitBackoff(clock, () => 0);
  });

  const refusedWith = (seconds: number, line = 'a'): number => waits.refused(line, send, seconds * 1000) / 1000;

  it('grow with each refusal in a queue, whichever prompt was refused', () => {
    deepStrictEqual([refusedWith(0), refusedWith(0), refusedWith(0)], [5, 10, 20]);
    strictEqual(refusedWith(0, 'another'), 5);
  });

  it('start over after an accepted prompt and after a long time', () => {
    refusedWith(0);
    refusedWith(0);
    waits.accepted('a');
    strictEqual(refusedWith(0), 5);
    clock.sleep(11 * 60_000);
    strictEqual(refusedWith(0), 5);
  });

  it('continue from the refusals recorded for the prompt', () => {
    strictEqual(waits.refused('a', { ...send, refusals: 4 }, 0), 80_000);
  });

  it('are as long as the service asks for, or five minutes if it does not say', () => {
    strictEqual(refusedWith(120), 120);
    strictEqual(waits.refused('a', send, undefined), 300_000);
  });
});
