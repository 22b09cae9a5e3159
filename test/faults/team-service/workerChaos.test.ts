import assert from 'node:assert/strict';
import { postgresServer } from '../../support/postgresServer';
import { isLongRun, report, scaled, seed } from '../../support/scale';
import { runChaos } from './workerChaos';

const SHORT = { seed, faults: 8, jobs: 6, followUps: 3, everyMs: 700, gapMs: 600 };

describe('Workers that are killed and suspended', function () {
  this.timeout(scaled(180_000, 4 * 3_600_000));
  before(async function () {
    const server = await postgresServer();
    const missing = typeof server === 'string' ? server : process.platform === 'linux' ? undefined : 'needs Linux';
    if (missing !== undefined) {
      console.log(`      skipped: ${missing}`);
      this.skip();
    }
  });

  it('lose no turn, run none twice at once, and keep the order', async () => {
    console.log(`      seed ${seed}`);
    const plan = { ...SHORT, faults: scaled(8, 1_000), jobs: scaled(6, 500), followUps: scaled(3, 5) };
    const found = await runChaos(plan);
    report({
      promise: 'team service',
      what: `${plan.faults} kills and suspensions of 3 workers, ${plan.jobs} jobs × ${plan.followUps} follow-ups`,
      figure: `${found.lost.length} turns lost, ${found.twice.length} run twice at once, ${found.outOfOrder.length} out of order`,
    });
    assert.deepEqual(found, { lost: [], twice: [], outOfOrder: [] }, `seed ${seed}`);
  });

  // About 40 s to see that the test above would find them.
  if (isLongRun) {
    it('run turns twice at once if the item of a running turn is cancelled', async () => {
      const { twice } = await runChaos({ ...SHORT, faults: 0, bug: 'cancelRunning' });
      assert.notDeepEqual(twice, []);
    });

    it('lose turns if a failed item stays in the queue', async () => {
      const { lost } = await runChaos({ ...SHORT, faults: 0, bug: 'throwingHandler' });
      assert.notDeepEqual(lost, []);
    });
  }
});
