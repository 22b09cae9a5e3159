import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeAll, removeFolder, finishRemovals, REMOVING } from '../../../src/local-service/removeFolder';
import { temporaryFolder } from '../../support/temporaryRepository';
import { notOnWindows } from '../../support/machine';

/** Number of nested folders that one command creates. */
const PART = 500;

/** Creates nested folders whose path exceeds the system’s maximum length. */
async function nest(folder: string, depth: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const script = 'for i in $(seq "$1"); do mkdir -p "$2" && cd -P "$2" || exit 1; done; touch file';
  const part = 'dd/'.repeat(PART);
  await promisify(execFile)('sh', ['-c', script, 'sh', String(depth / PART), part], { cwd: folder });
}

describe('removeFolder', function () {
  notOnWindows();

  it('removes several folders nested 2,500 deep', async () => {
    const root = await temporaryFolder();
    await nest(join(root, 'job/work/a'), 2500);
    await nest(join(root, 'job/work/b'), 2500);
    await writeFile(join(root, 'job/file'), '');
    await removeFolder(join(root, 'job'));
    assert.deepEqual(await readdir(root), []);
  });

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
