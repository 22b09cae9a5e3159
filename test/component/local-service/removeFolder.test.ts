import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeAll, removeFolder, finishRemovals, REMOVING } from '../../../src/local-service/removeFolder';
import { temporaryFolder } from '../../support/temporaryRepository';
import { notOnWindows } from '../../support/machine';

describe('removeFolder', function () {
  notOnWindows();

  it('removes read-only folders and names that are not valid UTF-8', async () => {
    const root = await temporaryFolder();
    const odd = Buffer.concat([Buffer.from(`${root}/job/caf`), Buffer.from([0xe9])]);
    await mkdir(odd, { recursive: true });
    await writeFile(Buffer.concat([odd, Buffer.from('/file')]), '');
    await chmod(odd, 0o500);
    await removeFolder(join(root, 'job'));
    assert.deepEqual(await readdir(root), []);
  });

  it('removes a link, and nothing of the folder that it leads to', async () => {
    const [root, outside] = [await temporaryFolder(), await temporaryFolder()];
    await mkdir(join(outside, 'kept'), { mode: 0o500 });
    await symlink(outside, join(root, 'job'));
    await removeFolder(join(root, 'job'));
    assert.deepEqual(await readdir(root), []);
    assert.equal((await stat(join(outside, 'kept'))).mode & 0o777, 0o500);
  });

  it('does nothing when there is no folder', async () => {
    await removeAll(join(await temporaryFolder(), 'job'));
  });
});

describe('finishRemovals', function () {
  it('continues when one folder cannot be removed and reports which', async () => {
    const root = await temporaryFolder();
    await Promise.all(['a', 'b', 'c'].map((name) => mkdir(join(root, REMOVING + name, 'x'), { recursive: true })));
    const said: string[] = [];
    const remove = async (folder: string): Promise<void> => {
      if (folder.endsWith('b')) {
        throw new Error('no');
      }
      await removeAll(folder);
    };
    await finishRemovals(root, (folder) => said.push(folder), remove);
    assert.deepEqual(await readdir(root), [`${REMOVING}b`]);
    assert.deepEqual(said, [join(root, `${REMOVING}b`)]);
  });
});
