import assert from 'node:assert/strict';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { mock } from 'node:test';
import { claim } from '../../../../src/jobs/store/writeDurably';
import { KEY, RecordsOnDisk, seen } from './recordsOnDisk';

describe('claims', () => {
  let disk: RecordsOnDisk;

  beforeEach(async () => {
    disk = await RecordsOnDisk.make();
    await disk.files.write(KEY, seen(1));
  });

  afterEach(() => disk.clear());

  it('succeed for only one of many callers in a process', async () => {
    const claims = await Promise.all(Array.from({ length: 200 }, () => disk.files.claim(KEY, 'claim-s')));
    assert.equal(claims.filter(Boolean).length, 1);
  });

  it('create empty files that block later callers', async () => {
    assert.equal(await disk.files.claim(KEY, 'notice-run'), true);
    assert.equal(await disk.files.claim(KEY, 'notice-run'), false);
    assert.equal(await disk.files.claim(KEY, 'notice-other'), true);
    assert.equal(await readFile(disk.path('notice-run'), 'utf8'), '');
  });

  it('fail without taking the claim when the folder cannot be synced', async function () {
    if (process.platform === 'win32') {
      // Folders are not synced on Windows.
      this.skip();
    }
    const folder = await open(disk.folder());
    const handles = Object.getPrototypeOf(folder) as FileHandle;
    await folder.close();
    const failing = mock.method(handles, 'sync', () => Promise.reject(new Error('EIO')));
    try {
      await assert.rejects(disk.files.claim(KEY, 'claim-s'), { message: 'EIO' });
    } finally {
      failing.mock.restore();
    }
    assert.equal(await disk.files.claim(KEY, 'claim-s'), true);
  });

  it('fail and claim nothing when the folder is missing', async () => {
    await assert.rejects(claim(disk.folder('missing'), 'claim-s'), { code: 'ENOENT' });
  });
});
