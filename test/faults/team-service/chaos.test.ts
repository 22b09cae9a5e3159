import assert from 'node:assert/strict';
import { postgresServer } from '../../support/postgresServer';
import { isLongRun, report, scaled, seed } from '../../support/scale';
import { type ChaosPlan, type PlantedBug, runChaos } from './chaos';

const SHORT = { seed, faults: 10, jobs: 6, followUps: 3, everyMs: 700, gapMs: 400 };
const FULL = { seed, faults: 1_000, jobs: 500, followUps: 5, everyMs: 900, gapMs: 450 };
const NOTHING = { lost: [], twice: [], outOfOrder: [], failed: [], writtenLater: [], overLimit: [], misread: [] };

describe('processes of a team’s service that are killed and suspended', function () {
  this.timeout(scaled(180_000, 4 * 3_600_000));
  before(async function () {
    const server = await postgresServer();
    const missing = typeof server === 'string' ? server : process.platform === 'linux' ? undefined : 'needs Linux';
    if (missing !== undefined) {
      console.log(`      skipped: ${missing}`);
      this.skip();
    }
  });

  it('lose no turn, run none twice at once, and keep order and limits', async () => {
    console.log(`      seed ${seed}`);
    const plan = isLongRun ? FULL : SHORT;
    const { found, refused } = await runChaos(plan);
    const { lost, twice, outOfOrder, overLimit, misread } = found;
    report({
      promise: 'A team’s jobs survive kills',
      what: `${plan.faults.toLocaleString('en')} SIGKILLs and SIGSTOPs of 3 workers and 2 API processes, ${plan.jobs} jobs × ${plan.followUps} follow-ups, ${refused} messages beyond the hourly limit`,
      figure: `${lost.length} turns lost, ${twice.length} run twice at once, ${outOfOrder.length} out of order; ${overLimit.length} limits exceeded, ${misread.length} event streams with a gap or a double`,
    });
    assert.deepEqual(found, NOTHING, `seed ${seed}`);
  });

  // These take two minutes to prove that the test above would find such bugs.
  if (isLongRun) {
    const BUGS: Record<PlantedBug, [string, Partial<ChaosPlan>]> = {
      cancelRunning: ['cancels the item of a running turn', { faults: 0, gapMs: 1_000 }],
      throwingHandler: ['leaves a failed item in the queue', { faults: 0, gapMs: 1_000 }],
      noFence: ['lets a worker go on with a turn that it has lost', {}],
    };
    for (const [bug, [what, plan]] of Object.entries(BUGS)) {
      it(`break a promise if a bug ${what}`, async () => {
        const { found } = await runChaos({ ...SHORT, ...plan, bug: bug as PlantedBug });
        assert.notDeepEqual(found, NOTHING);
      });
    }
  }
});
