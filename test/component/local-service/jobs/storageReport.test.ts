import assert from 'node:assert/strict';
import { link, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diskUsage } from '../../../../src/local-service/jobs/projectRegistry';
import { temporaryFolder } from '../../../support/temporaryRepository';

const KIB = 1024;

describe('diskUsage', () => {
  /** Size in KiB, rounded to exclude file system overhead. */
  const rounded = (bytes: number) => Math.round(bytes / (64 * KIB)) * 64;
  const content = Buffer.alloc(128 * KIB, 'x');

  it('counts only space that deletion would free: no files linked elsewhere, hard links once', async () => {
    const root = await temporaryFolder();
    const folder = join(root, 'job');
    await mkdir(join(folder, 'deep'), { recursive: true });
    await writeFile(join(folder, 'alone'), content);
    await writeFile(join(root, 'outside'), content);
    await link(join(root, 'outside'), join(folder, 'shared with another folder'));
    await writeFile(join(folder, 'twice'), content);
    await link(join(folder, 'twice'), join(folder, 'deep/again'));
    assert.equal(rounded(await diskUsage(folder)), 256);
  });

  it('counts files and folders whose names are not valid UTF-8', async function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
    const root = await temporaryFolder();
    const folder = Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]);
    await mkdir(folder);
    await writeFile(Buffer.concat([folder, Buffer.from('/'), Buffer.from([0xfc])]), content);
    assert.equal(rounded(await diskUsage(root)), 128);
  });

  it('returns 0 for a missing folder', async () => {
    assert.equal(await diskUsage(join(await temporaryFolder(), 'gone')), 0);
  });
});
