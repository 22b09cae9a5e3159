import { deepStrictEqual } from 'node:assert/strict';
import { READ_LIMIT_MS, waitForRecords } from '../../../src/extension/requests';
import { ManualClock } from '../../support/manualClock';

describe('command right after startup', () => {
  it('waits for the records unless it needs none', async () => {
    let tellLoaded = (): void => undefined;
    const loaded = new Promise<void>((resolve) => (tellLoaded = resolve));
    const clock = new ManualClock();
    const read = waitForRecords({ loaded }, clock);
    const begun: string[] = [];
    for (const id of ['docsAgent.trackJob', 'docsAgent.showLog'] as const) {
      void read(id).then(() => begun.push(id));
    }
    void read().then(() => begun.push('another extension'));
    await clock.advance(READ_LIMIT_MS - 1);
    deepStrictEqual(begun, ['docsAgent.showLog']);
    tellLoaded();
    await clock.advance(0);
    deepStrictEqual([begun.slice(1), clock.pending], [['docsAgent.trackJob', 'another extension'], 0]);
  });

  it('runs without the records after ten seconds', async () => {
    const clock = new ManualClock();
    const read = waitForRecords({ loaded: new Promise(() => undefined) }, clock);
    await clock.advance(READ_LIMIT_MS);
    await read('docsAgent.trackJob');
  });
});
