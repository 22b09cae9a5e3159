import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { buildNodeScript, canMountSmallDisk, onSmallDisk } from '../../support/machine';
import { temporaryFolder } from '../../support/temporaryRepository';

describe('changes of a job that don’t fit on the disk', () => {
  it('leave every file as it was, even if a new file has already used the space of an old one', async function () {
    if (!canMountSmallDisk()) {
      console.log('      skipped: no disk can be mounted here without rights');
      this.skip();
    }
    const script = await buildNodeScript(resolve('test/faults/git/applyOnDisk.ts'));
    const disk = await temporaryFolder();
    const gitDir = join(await temporaryFolder(), 'objects');
    const run = spawnSync(...onSmallDisk('size=1500k', disk, script, disk, gitDir), { encoding: 'utf8' });
    strictEqual(run.status, 0, run.stderr);
    const { failure, ...left } = JSON.parse(run.stdout) as { failure: string };
    match(failure, /No space left on device/);
    deepStrictEqual(left, { files: ['a.md'], isBack: true });
  });
});
