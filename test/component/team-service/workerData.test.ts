import assert from 'node:assert/strict';
import { once } from 'node:events';
import { postgresServer } from '../../support/postgresServer';
import { TeamFixture } from '../../support/teamFixture';

/** What a worker keeps on its disk. */
describe('data folder of a worker', function () {
  this.timeout(90_000);
  let team: TeamFixture;
  before(async function () {
    const server = await postgresServer();
    const missing = typeof server === 'string' ? server : process.platform === 'linux' ? undefined : 'needs Linux';
    if (missing !== undefined) {
      console.log(`      skipped: ${missing}`);
      this.skip();
    }
  });
  beforeEach(async () => {
    team = await TeamFixture.open();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      console.log(team.workers.map((worker) => worker.said()).join('\n'), team.journal());
    }
    await team.close();
  });

  it('has one worker: a second one is refused until the first has ended, even if that was killed', async () => {
    const { process: first, data, name } = await team.worker();
    const refused = () => assert.rejects(team.worker({ data }), /Another worker uses the data folder/);
    await refused();
    first.kill('SIGSTOP');
    await refused();
    assert.equal(first.exitCode, null);
    first.kill('SIGKILL');
    await once(first, 'exit');
    const second = await team.worker({ data });
    assert.equal(second.name, name);
    second.process.kill('SIGTERM');
    await once(second.process, 'exit');
    await team.worker({ data });
  });
});
