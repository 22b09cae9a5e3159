import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Git } from '../../../../src/git/git';
import { removeStalePushDirectories, withPushDirectory } from '../../../../src/local-service/git/pushBranch';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';

describe('withPushDirectory', function () {
  let folder: string;
  let commit: string;
  before(async () => {
    folder = await temporaryFolder();
    await createSampleRepository(join(folder, 'repository'));
    commit = (await plainGit(join(folder, 'repository'), 'rev-parse', 'HEAD')).trim();
  });
  const git = new Git(process.env);

  it('works in a private folder of the service and leaves nothing behind', async () => {
    const parent = join(folder, 'data/push');
    await mkdir(join(folder, 'data'));
    const at = await withPushDirectory(git, parent, join(folder, 'repository/.git'), commit, async (directory) => {
      assert.equal(await git.run({ folder: directory, gitDir: directory }, ['cat-file', '-t', commit]), 'commit\n');
      return directory;
    });
    assert.equal(dirname(at), parent);
    if (process.platform !== 'win32') {
      assert.equal((await stat(parent)).mode & 0o777, 0o700);
    }
    assert.deepEqual(await readdir(parent), []);
  });

  it('does not block on a pipe that an agent put in place of the “shallow” file', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    await createSampleRepository(join(folder, 'piped'));
    const hostGit = join(folder, 'piped/.git');
    await promisify(execFile)('mkfifo', [join(hostGit, 'shallow')]);
    const names = await withPushDirectory(git, join(folder, 'piped-push'), hostGit, commit, (at) => readdir(at));
    assert.ok(!names.includes('shallow'));
  });

  it('removes only the folders left behind by a killed service', async () => {
    const parent = join(folder, 'left');
    for (const name of ['push-aB3xYz', 'push-aB3xYz2', 'server', 'push-']) {
      await mkdir(join(parent, name), { recursive: true });
      await writeFile(join(parent, name, 'config'), '');
    }
    await writeFile(join(parent, 'push-abcdef'), 'a file');
    await removeStalePushDirectories(parent);
    await removeStalePushDirectories(parent);
    assert.deepEqual((await readdir(parent)).toSorted(), ['push-', 'push-aB3xYz2', 'push-abcdef', 'server']);
    await removeStalePushDirectories(join(folder, 'missing'));
  });
});
