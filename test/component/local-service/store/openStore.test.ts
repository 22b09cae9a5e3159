import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openStore } from '../../../../src/local-service/store/openStore';
import { SqliteJobStore } from '../../../../src/local-service/store/sqliteJobStore';
import { ManualClock } from '../../../support/manualClock';
import { temporaryFolder } from '../../../support/temporaryRepository';

describe('opening a database that another service uses', function () {
  before(function () {
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });

  async function held() {
    const file = join(await temporaryFolder(), 'service.db');
    return { file, other: SqliteJobStore.open(file), clock: new ManualClock() };
  }

  it('succeeds when the other service ends', async () => {
    const { file, other, clock } = await held();
    const opened = openStore(file, async () => false, clock);
    await clock.untilPending();
    await other.close();
    await clock.advance(1_000);
    await (await opened).close();
  });

  it('fails immediately when the other service keeps running', async () => {
    const { file, other, clock } = await held();
    await assert.rejects(
      openStore(file, async () => true, clock),
      { exitCode: 3 },
    );
    assert.equal(clock.pending, 0);
    await other.close();
  });

  it('fails after waiting too long', async () => {
    const { file, other, clock } = await held();
    const opened = openStore(file, async () => false, clock);
    const refused = assert.rejects(opened, { exitCode: 3 });
    await clock.untilPending();
    clock.sleep(12_001);
    await clock.advance(0);
    await refused;
    await other.close();
  });
});
