import { strictEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readStart } from '../../../src/base/files';
import { notOnWindows } from '../../support/machine';

describe('reading the start of a file', function () {
  notOnWindows();
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'start-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('reads no more than the given number of bytes, even through a link', async () => {
    await writeFile(join(folder, 'file'), 'content');
    await symlink('file', join(folder, 'link'));
    strictEqual(await readStart(join(folder, 'file'), 100), 'content');
    strictEqual(await readStart(join(folder, 'link'), 4), 'cont');
  });

  it('treats anything but a file as missing, and does not block on a named pipe', async () => {
    await mkdir(join(folder, 'folder'));
    await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
    await symlink('pipe', join(folder, 'link'));
    for (const name of ['none', 'folder', 'pipe', 'link', 'none/below']) {
      strictEqual(await readStart(join(folder, name), 100), undefined, name);
    }
  });
});
