import assert from 'node:assert/strict';
import { chmod, type FileHandle, mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { claim, TEMPORARY_SUFFIX, writeDurably } from '../../../../src/jobs/store/writeDurably';
import { KEY, RecordsOnDisk, seen } from './recordsOnDisk';

describe('writeDurably', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'durable-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('writes the complete file and leaves no other file in the folder', async () => {
    const content = 'ä\n'.repeat(500_000);
    await writeDurably(join(folder, 'a'), content);
    assert.deepEqual(await readdir(folder), ['a']);
    assert.equal(await readFile(join(folder, 'a'), 'utf8'), content);
  });

  it('rejects and leaves nothing when the folder is missing', async () => {
    await assert.rejects(writeDurably(join(folder, 'no', 'a'), 'x'), { code: 'ENOENT' });
    assert.deepEqual(await readdir(folder), []);
  });

  it('rejects and leaves no temporary file when a folder has the same name', async () => {
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    await assert.rejects(writeDurably(join(folder, 'a'), 'x'));
    assert.deepEqual(await readdir(folder), ['a']);
  });

  it('leaves nothing when the folder cannot be synced', async function () {
    await chmod(folder, 0o300);
    try {
      if (await readdir(folder).catch(() => undefined)) {
        // For root and on Windows, file modes do not restrict access.
        this.skip();
      }
      await assert.rejects(writeDurably(join(folder, 'a'), 'x'), { code: 'EACCES' });
    } finally {
      await chmod(folder, 0o700);
    }
    assert.deepEqual(await readdir(folder), []);
  });

  it('does not touch another writer’s temporary file', async () => {
    const other = join(folder, 'a' + TEMPORARY_SUFFIX);
    await writeFile(other, 'theirs');
    await assert.rejects(writeDurably(join(folder, 'a'), 'ours'), { code: 'EEXIST' });
    assert.deepEqual(await readdir(folder), ['a' + TEMPORARY_SUFFIX]);
    assert.equal(await readFile(other, 'utf8'), 'theirs');
  });
});

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
