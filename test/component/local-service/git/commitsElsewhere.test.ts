import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../../../../src/git/git';
import { commitsElsewhere } from '../../../../src/local-service/git/leftOutWork';
import { jobFolders } from '../../../../src/local-service/git/jobClone';
import { temporaryFolder } from '../../../support/temporaryRepository';

describe('commitsElsewhere', () => {
  const [known, one, two] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [string, string, string];
  /** Has only one commit. */
  const git: Pick<Git, 'run'> = {
    run: async (_place, _args, options) =>
      String(options?.input)
        .split('\n')
        .map((id) => (id === known ? `${id} commit 1\n` : `${id} missing\n`))
        .join(''),
  };
  const start = async () => {
    const folders = jobFolders(await temporaryFolder());
    const gitDir = join(folders.work, '.git');
    await mkdir(join(gitDir, 'refs/heads'), { recursive: true });
    return { gitDir, named: () => commitsElsewhere(git as Git, folders) };
  };

  it('reads only the beginning of a very long list of packed refs, and reports that there may be more', async () => {
    const { gitDir, named } = await start();
    const text = '# text\n'.repeat(160_000);
    await writeFile(join(gitDir, 'packed-refs'), `${one} refs/heads/first\n${text}${two} refs/heads/last\n`);
    assert.equal(await named(), 'first, packed-refs');
  });

  it('looks at many packed branches, and reports that there may be more branches in files than it reads', async () => {
    const { gitDir, named } = await start();
    const packed = Array.from({ length: 9_000 }, (_, index) => `${known} refs/heads/p${index}\n`);
    await writeFile(join(gitDir, 'packed-refs'), `${packed.join('')}${one} refs/heads/zz\n`);
    assert.equal(await named(), 'zz');
    await rm(join(gitDir, 'packed-refs'));
    const files = Array.from({ length: 2_001 }, (_, index) => join(gitDir, 'refs/heads', `b${index}`));
    await Promise.all(files.map((file) => writeFile(file, `${known}\n`)));
    assert.equal(await named(), 'refs/heads');
  });

  it('looks at tags and at the commits checked out in linked worktrees', async () => {
    const { gitDir, named } = await start();
    await mkdir(join(gitDir, 'refs/tags'));
    await writeFile(join(gitDir, 'packed-refs'), `${one} refs/tags/v1\n${known} refs/tags/v2\n`);
    await writeFile(join(gitDir, 'refs/tags/v3'), `${two}\n`);
    for (const [name, head] of [
      ['a', one],
      ['b', 'ref: refs/heads/main'],
      ['c', known],
    ] as const) {
      await mkdir(join(gitDir, 'worktrees', name), { recursive: true });
      await writeFile(join(gitDir, 'worktrees', name, 'HEAD'), `${head}\n`);
    }
    assert.equal(await named(), 'tags/v1, tags/v3, worktrees/a/HEAD');
  });

  it('reports what it can’t look at', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const { gitDir, named } = await start();
    assert.equal(await named(), undefined);
    await symlink('elsewhere', join(gitDir, 'packed-refs'));
    await symlink('elsewhere', join(gitDir, 'refs/heads/link'));
    await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/link\n');
    assert.equal(await named(), 'packed-refs, link');
    await rm(join(gitDir, 'refs'), { recursive: true });
    // Fails with ELOOP, also for the superuser.
    await symlink('refs', join(gitDir, 'refs'));
    assert.equal(await named(), 'packed-refs, refs/heads, refs/tags, stash');
  });
});
