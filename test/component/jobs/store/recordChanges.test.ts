import { deepStrictEqual } from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock as clock } from '../../../../src/base/async';
import { WindowChanges } from '../../../../src/extension/startEngine';
import type { JobEvent, RecordedEvent } from '../../../../src/jobs/events';
import { JobStore } from '../../../../src/jobs/jobStore';
import { JobFiles } from '../../../../src/jobs/store/jobFiles';
import { RecordChanges } from '../../../../src/jobs/store/recordFolder';
import { temporaryFolder } from '../../../support/temporaryRepository';
import { home } from '../../../support/testWindow';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('changes by other windows without file events', () => {
  let root: string;
  let ids = 0;
  const newId = (): string => `id${String(ids++).padStart(14, '0')}`;
  const store = (): JobStore => new JobStore({ files: new JobFiles(root, log), clock, newId, log });
  const send = (prompt: string): Extract<JobEvent, { type: 'send' }> => {
    return { type: 'send', at: Date.now(), send: newId(), kind: 'create', prompt, home };
  };
  beforeEach(async () => (root = join(await temporaryFolder(), 'jobs')));

  it('are found once through the modification times of the folders', async () => {
    const files = new JobFiles(root, log);
    const write = (key: string, n: number): Promise<void> => {
      const stamped: RecordedEvent<JobEvent> = { stamp: `00000000${n}-x`, event: { type: 'seen', at: n } };
      return files.write(key, stamped);
    };
    const [a, b] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'];
    // A later clock, so that no modification time counts as recent.
    const changes = new RecordChanges(root, () => Date.now() + 60_000);
    deepStrictEqual(await changes.look(), [], 'there is no folder yet');
    await write(a, 1);
    deepStrictEqual(await changes.look(), [a]);
    deepStrictEqual(await changes.look(), []);
    await write(b, 1);
    await utimes(join(root, a), new Date(), new Date(Date.now() + 5000));
    deepStrictEqual((await changes.look()).toSorted(), [a, b]);
    deepStrictEqual(await changes.look(), []);
  });

  it('are looked for again while a folder is so new that a coarse clock could hide a write', async () => {
    await new JobFiles(root, log).write('aaaaaaaaaaaaaaaa', { stamp: '000000001-x', event: { type: 'seen', at: 1 } });
    const changes = new RecordChanges(root);
    deepStrictEqual([(await changes.look()).length, (await changes.look()).length], [1, 1]);
  });

  it('reach a focused window within seconds and other windows when they get the focus', async () => {
    const [here, there] = [store(), store()];
    const changes = new RecordChanges(root);
    const windows = new WindowChanges({
      look: () => changes.look(),
      refresh: (key) => there.refresh(key),
      log,
    });
    await windows.begin(true);
    const { key } = await here.add(send('Explain'));
    const until = async (check: () => boolean): Promise<number> => {
      const start = performance.now();
      while (!check() && performance.now() - start < 12_000) {
        await delay(50);
      }
      return performance.now() - start;
    };
    const took = await until(() => there.get(key) !== undefined);
    deepStrictEqual([there.get(key) !== undefined, took < 10_000], [true, true]);
    windows.focus(false);
    const other = await here.add(send('Explain more'));
    windows.focus(true);
    const soon = await until(() => there.get(other.key) !== undefined);
    deepStrictEqual([there.get(other.key) !== undefined, soon < 1000], [true, true]);
    windows.dispose();
  });
});
