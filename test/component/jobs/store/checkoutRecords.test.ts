import { deepStrictEqual } from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckoutRecord, CheckoutRecords } from '../../../../src/jobs/store/checkoutRecords';
import { temporaryFolder } from '../../../support/temporaryRepository';

const record: CheckoutRecord = {
  root: '/home/robin/docs',
  ref: 'docs-agent/limits',
  before: 'main',
  step: 'there',
  message: 'Before checking out docs-agent/limits',
  stash: { commit: 'c1', message: 'Before checking out docs-agent/limits', hasIndex: false },
};
const plain: CheckoutRecord = { root: '/home/robin/code', ref: 'docs-agent/x', before: 'main', step: 'switching' };

describe('CheckoutRecords', () => {
  it('returns the newest record of each repository to the next window', async () => {
    const folder = await temporaryFolder();
    const records = new CheckoutRecords(folder);
    await records.keep({ ...record, step: 'stashing' });
    await records.keep(record);
    await records.keep(plain);
    const found = await new CheckoutRecords(folder).all();
    deepStrictEqual(
      found.map(({ root, step }) => [root, step]).toSorted(),
      [
        [plain.root, 'switching'],
        [record.root, 'there'],
      ].toSorted(),
    );
    await records.forget(plain.root);
    await records.forget(plain.root);
    deepStrictEqual(
      (await records.all()).map(({ stash }) => stash),
      [record.stash],
    );
  });

  it('returns nothing without a folder and skips a damaged record', async () => {
    const folder = await temporaryFolder();
    deepStrictEqual(await new CheckoutRecords(join(folder, 'none')).all(), []);
    const records = new CheckoutRecords(folder);
    await records.keep(record);
    const [name = ''] = await readdir(folder);
    await writeFile(join(folder, name), '{"version": 1, "root": ');
    deepStrictEqual(await records.all(), []);
  });
});
