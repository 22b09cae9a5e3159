import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { report, scaled, seed } from '../../support/scale';
import { BUGS } from './bugs';
import { type Action, schedules } from './schedules';
import { Simulation } from './simulation';

/**
 * A window claims the notice of one run, and then rereads that the end belongs to another run (found by seed 375068868).
 */
const ANOTHER_RUN: { seed: number; schedule: Action[] } = {
  seed: 582429652,
  schedule: [
    { do: 'wait', ms: 10 },
    { do: 'create', n: 0 },
    { do: 'weather', weather: { 'lost on the way there': 1, limit: 1, fault: 1, late: 1 } },
    { do: 'create', n: 0 },
    { do: 'full', full: true },
    { do: 'wait', ms: 3000 },
    { do: 'wait', ms: 75000 },
    { do: 'full', full: true },
    { do: 'open', n: 0 },
    { do: 'wait', ms: 3000 },
    { do: 'weather', weather: {} },
    { do: 'key', n: 0 },
    { do: 'jump', ms: 43200000 },
    { do: 'open', n: 0 },
    { do: 'weather', weather: {} },
    { do: 'weather', weather: { late: 1 } },
    { do: 'wait', ms: 75000 },
    { do: 'create', n: 0 },
    { do: 'jump', ms: 43200000 },
    { do: 'weather', weather: { fault: 1 } },
    { do: 'wait', ms: 75000 },
    { do: 'create', n: 0 },
    { do: 'jump', ms: 43200000 },
    { do: 'look', n: 4 },
    { do: 'followUp', n: 1 },
    { do: 'change', n: 8 },
    { do: 'create', n: 0 },
  ],
};

/**
 * A follow-up that waits for a run is never sent, because another follow-up is accepted while the job is being polled.
 */
const ACCEPTED_DURING_POLL: { seed: number; schedule: Action[] } = {
  seed: 1271801777,
  schedule: [
    { do: 'create', n: 0 },
    { do: 'weather', weather: { 'lost on the way there': 1, limit: 1, 'bad key': 1 } },
    { do: 'wait', ms: 30000 },
    { do: 'later', n: 0 },
    { do: 'followUp', n: 0 },
    { do: 'wait', ms: 200 },
    { do: 'kill', n: 0 },
  ],
};

describe('windows with crashes, ghosts, a full disk and a bad network, in any order', () => {
  it('lose no prompt and no job, send no prompt twice, and report no end twice', async function () {
    const runs = scaled(10_000, 1_000_000);
    await fc.assert(
      fc.asyncProperty(schedules, async (plan) => {
        deepStrictEqual(await new Simulation(plan.seed).run(plan.schedule), []);
      }),
      {
        numRuns: runs,
        seed,
        examples: [[ANOTHER_RUN], [ACCEPTED_DURING_POLL]],
        plugins: [fc.interruptAfterTimeLimit(6 * 3_600_000)],
      },
    );
    const what = `${runs.toLocaleString('en')} simulated schedules of up to 3 windows`;
    report({ promise: 'L2', what, figure: '0 POSTs without the user’s consent' });
    report({ promise: 'L3', what, figure: '0 jobs lost, 0 prompts lost' });
    report({ promise: 'L5', what, figure: '0 ends told twice, 0 with neither notice nor badge' });
  });

  for (const [name, { bug, shows }] of Object.entries(BUGS)) {
    it(`detects a known bug: ${name}`, async function () {
      const found = await fc.check(
        fc.asyncProperty(schedules, async (plan) => {
          const violations = await new Simulation(plan.seed, bug()).run(plan.schedule);
          return !violations.some((violation) => shows.test(violation));
        }),
        { numRuns: 3000, seed, endOnFailure: true },
      );
      ok(found.failed, `${found.numRuns} schedules did not show it`);
      report({ promise: 'L2', what: `planted bug: ${name}`, figure: `found in schedule ${found.numRuns}` });
    });
  }
});
