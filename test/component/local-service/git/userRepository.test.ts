import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Git } from '../../../../src/git/git';
import { UnusableFolder, UserRepository } from '../../../../src/local-service/git/userRepository';
import { createSampleRepository, temporaryFolder } from '../../../support/temporaryRepository';

describe('UserRepository', function () {
  let folder: string;
  let home: string;
  before(async () => {
    [folder, home] = await Promise.all([temporaryFolder(), temporaryFolder()]);
    await createSampleRepository(folder);
  });

  it('stops waiting for a configuration file that is a pipe and reports it', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const repo = await temporaryFolder();
    await createSampleRepository(repo);
    await promisify(execFile)('sh', ['-c', 'mkfifo pipe && git config include.path ../pipe'], { cwd: repo });
    const begin = Date.now();
    await assert.rejects(new UserRepository(new Git(process.env)).topLevel(repo), (error) => {
      assert.ok(error instanceof UnusableFolder);
      assert.match(error.message, /^Git didn’t respond in “.*” within 10 seconds\. Make sure that/);
      return true;
    });
    assert.ok(Date.now() - begin < 30_000);
  });

  it('accepts a subfolder and a linked worktree, but no repository that another one names as its work tree', async () => {
    const [inner, other, linked] = [join(folder, 'inner'), await temporaryFolder(), join(await temporaryFolder(), 'a')];
    await createSampleRepository(other);
    await mkdir(join(folder, 'sub'));
    await createSampleRepository(await mkdir(inner).then(() => inner));
    const run = (cwd: string, ...args: string[]) => promisify(execFile)('git', args, { cwd });
    await run(folder, 'worktree', 'add', '--quiet', linked);
    const repository = new UserRepository(new Git(process.env));
    assert.equal(await repository.topLevel(join(folder, 'sub')), await realpath(folder));
    assert.equal(await repository.topLevel(linked), await realpath(linked));
    for (const worktree of [other, folder]) {
      await run(inner, 'config', 'core.worktree', worktree);
      await assert.rejects(
        repository.topLevel(inner),
        /uses “.*” as its work tree \(core\.worktree\)\. Open that folder/,
      );
    }
    await run(inner, 'config', 'core.worktree', inner);
    assert.equal(await repository.topLevel(inner), await realpath(inner));
  });

  const robin = { name: 'Robin Example', email: 'robin@example.org' };
  const configuration = `[user]\nname = ${robin.name}\nemail = ${robin.email}\n`;
  const identityWith = (variables: NodeJS.ProcessEnv) => {
    const { PATH } = process.env;
    return new UserRepository(new Git({ PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...variables })).identity(folder);
  };

  it('reads the user’s identity from any location of the git configuration', async () => {
    await mkdir(join(home, 'elsewhere/git'), { recursive: true });
    await writeFile(join(home, 'elsewhere/git/config'), configuration);
    await writeFile(join(home, 'mine'), configuration);
    assert.deepEqual(await identityWith({ XDG_CONFIG_HOME: join(home, 'elsewhere') }), robin);
    assert.deepEqual(await identityWith({ GIT_CONFIG_GLOBAL: join(home, 'mine') }), robin);
    assert.deepEqual(await identityWith({}), { name: 'Docs Agent', email: 'docs-agent@localhost' });
  });
});
