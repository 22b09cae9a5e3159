import { deepStrictEqual } from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobEvent, RecordedEvent } from '../../../../src/jobs/events';
import { JobFiles } from '../../../../src/jobs/store/jobFiles';
import { RecordChanges } from '../../../../src/jobs/store/recordChanges';
import { temporaryFolder } from '../../../support/temporaryRepository';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('changes by other windows without file events', () => {
  let root: string;
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
    deepStrictEqual(await changes.find(), [], 'there is no folder yet');
    await write(a, 1);
    deepStrictEqual(await changes.find(), [a]);
    deepStrictEqual(await changes.find(), []);
    await write(b, 1);
    await utimes(join(root, a), new Date(), new Date(Date.now() + 5000));
    deepStrictEqual((await changes.find()).toSorted(), [a, b]);
    deepStrictEqual(await changes.find(), []);
  });

  it('are looked for again while a folder is so new that a coarse clock could hide a write', async () => {
    await new JobFiles(root, log).write('aaaaaaaaaaaaaaaa', { stamp: '000000001-x', event: { type: 'seen', at: 1 } });
    const changes = new RecordChanges(root);
    deepStrictEqual([(await changes.find()).length, (await changes.find()).length], [1, 1]);
  });
});
