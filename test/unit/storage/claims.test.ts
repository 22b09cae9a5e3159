import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
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

  it('go to one of eight processes', async function () {
    this.timeout(60_000);
    const [processes, names] = [8, 50];
    await mkdir(disk.folder(), { recursive: true });
    const children = Array.from({ length: processes }, () => claimant(disk.folder(), names));
    await Promise.all(children.map((child) => once(child.stdout, 'data')));
    children.forEach((child) => child.stdin.end('go\n'));
    const won = await Promise.all(children.map(async (child) => JSON.parse(await text(child.stdout)) as string[]));
    const all = won.flat();
    assert.equal(new Set(all).size, all.length, 'a name was given twice');
    assert.equal(all.length, 2 * names, 'a name was given to nobody');
    assert.equal((await readdir(disk.folder())).length, 2 * names + 1);
  });

  it('fail where the folder is missing, and claim nothing then', async () => {
    await assert.rejects(claimFile(disk.folder('missing'), 'go-s'), { code: 'ENOENT' });
  });
});

function claimant(folder: string, names: number): ChildProcessWithoutNullStreams {
  const script = resolve('test/unit/storage/claimLoop.ts');
  return spawn(process.execPath, ['--import', 'tsx', script, folder, String(names)]);
}
