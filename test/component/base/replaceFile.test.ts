import { deepEqual, equal, rejects } from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from '../../../src/base/files';

describe('replaceFile', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'replace-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('creates the folder, writes a private file and leaves no other files', async () => {
    const file = join(folder, 'a', 'state.json');
    await replaceFile(file, 'one');
    await replaceFile(file, 'two');
    equal(await readFile(file, 'utf8'), 'two');
    deepEqual(await readdir(join(folder, 'a')), ['state.json']);
    if (process.platform !== 'win32') {
      equal((await stat(file)).mode & 0o777, 0o600);
    }
  });

  it('rejects and leaves nothing when a folder has the same name', async () => {
    await mkdir(join(folder, 'taken', 'full'), { recursive: true });
    await rejects(replaceFile(join(folder, 'taken'), 'text'));
    deepEqual(await readdir(folder), ['taken']);
  });
});
