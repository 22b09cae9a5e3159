import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openStore } from '../../../../src/local-service/store/openStore';
import { SqliteJobStore } from '../../../../src/local-service/store/sqliteJobStore';
import { ManualClock } from '../../../support/manualClock';
import { temporaryFolder } from '../../../support/temporaryRepository';

describe('a store that another service holds', function () {
  this.timeout(60_000);
  before(function () {
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });

  async function held() {
    const file = join(await temporaryFolder(), 'service.db');
    return { file, other: SqliteJobStore.open(file), clock: new ManualClock() };
  }

  it('is opened when that one has ended', async () => {
    const { file, other, clock } = await held();
    const opened = openStore(file, async () => false, clock);
    await clock.untilPending();
    other.close();
    await clock.advance(1_000);
    (await opened).close();
  });

  it('is not waited for when that one stays', async () => {
    const { file, other, clock } = await held();
    await assert.rejects(
      openStore(file, async () => true, clock),
      { exitCode: 3 },
    );
    assert.equal(clock.pending, 0);
    other.close();
  });

  it('is not waited for without end', async () => {
    const { file, other, clock } = await held();
    const opened = openStore(file, async () => false, clock);
    const refused = assert.rejects(opened, { exitCode: 3 });
    await clock.untilPending();
    clock.sleep(12_001);
    await clock.advance(0);
    await refused;
    other.close();
  });
});
