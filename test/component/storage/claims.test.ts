import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { claimFile } from '../../../src/storage/writeDurably';
import { KEY, RecordsOnDisk, seen } from './recordsOnDisk';

describe('claims', () => {
  let disk: RecordsOnDisk;

  beforeEach(async () => {
    disk = await RecordsOnDisk.make();
    await disk.files.write(KEY, seen(1));
  });

  afterEach(() => disk.clear());

  it('go to one of many callers of one process', async () => {
    const claims = await Promise.all(Array.from({ length: 200 }, () => disk.files.claim(KEY, 'go-s')));
    assert.equal(claims.filter(Boolean).length, 1);
  });

  it('are empty files that later callers find taken', async () => {
    assert.equal(await disk.files.claim(KEY, 'notice-run'), true);
    assert.equal(await disk.files.claim(KEY, 'notice-run'), false);
    assert.equal(await disk.files.claim(KEY, 'notice-other'), true);
    assert.equal(await readFile(disk.path('notice-run'), 'utf8'), '');
  });

  it('fail where the folder is missing, and claim nothing then', async () => {
    await assert.rejects(claimFile(disk.folder('missing'), 'go-s'), { code: 'ENOENT' });
  });
});
