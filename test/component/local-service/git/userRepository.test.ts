import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { Git } from '../../../../src/git/git';
import { UnusableFolder, UserRepository } from '../../../../src/local-service/git/userRepository';
import { createSampleRepository, temporaryFolder, git, sampleRepository } from '../../../support/temporaryRepository';
import { whyNotPushed } from '../../../../src/local-service/git/whyNotPushed';
import { itOnUnix } from '../../../support/machine';

describe('UserRepository', function () {
  let folder: string;
  let home: string;
  before(async () => {
    [folder, home] = await Promise.all([temporaryFolder(), temporaryFolder()]);
    await createSampleRepository(folder);
  });

  itOnUnix('stops waiting for a configuration file that is a pipe and reports it', async () => {
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

  it('accepts a subfolder and a linked worktree', async () => {
    const linked = join(await temporaryFolder(), 'a');
    await mkdir(join(folder, 'sub'));
    const run = (cwd: string, ...args: string[]) => promisify(execFile)('git', args, { cwd });
    await run(folder, 'worktree', 'add', '--quiet', linked);
    const repository = new UserRepository(new Git(process.env));
    assert.equal(await repository.topLevel(join(folder, 'sub')), await realpath(folder));
    assert.equal(await repository.topLevel(linked), await realpath(linked));
  });

  const robin = { name: 'Robin Example', email: 'robin@example.org' };
  const configuration = `[user]\nname = ${robin.name}\nemail = ${robin.email}\n`;
  const identityWith = (variables: NodeJS.ProcessEnv) => {
    const { PATH } = process.env;
    return new UserRepository(new Git({ PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...variables })).identity(folder);
  };

  it('reads what is checked out along with the branches of jobs, whatever the names', async () => {
    const repo = await sampleRepository();
    const repository = new UserRepository(new Git(process.env));
    const commit = (await git(repo, 'rev-parse', 'HEAD')).trim();
    const names = ['docs-agent/one', 'docs-agent/deep/two'];
    await Promise.all(names.map((name) => git(repo, 'update-ref', `refs/heads/${name}`, commit)));
    const read = async (): Promise<unknown> => {
      const { head, jobBranches } = await repository.headAndJobBranches(repo);
      assert.ok(names.every((name) => jobBranches.has(name)));
      return head;
    };
    assert.deepEqual(await read(), { commit, branch: 'main' });
    await git(repo, 'tag', 'main');
    assert.deepEqual(await read(), { commit, branch: 'main' });
    await git(repo, 'symbolic-ref', 'HEAD', 'refs/heads/docs-agent/one');
    assert.deepEqual(await read(), { commit, branch: 'docs-agent/one' });
    await git(repo, 'checkout', '--quiet', '--detach');
    assert.deepEqual(await read(), { commit, branch: null });
    await git(repo, 'checkout', '--quiet', '--orphan', 'empty');
    assert.equal(await read(), undefined);
  });

  it('reads the user’s identity from any location of the git configuration', async () => {
    await mkdir(join(home, 'elsewhere/git'), { recursive: true });
    await writeFile(join(home, 'elsewhere/git/config'), configuration);
    await writeFile(join(home, 'mine'), configuration);
    assert.deepEqual(await identityWith({ XDG_CONFIG_HOME: join(home, 'elsewhere') }), robin);
    assert.deepEqual(await identityWith({ GIT_CONFIG_GLOBAL: join(home, 'mine') }), robin);
    assert.deepEqual(await identityWith({}), { name: 'Docs Agent', email: 'docs-agent@localhost' });
  });
});

describe('the repository of a folder', () => {
  const plain = new Git(process.env);
  const repository = new UserRepository(plain);
  const accept = async (...folders: string[]): Promise<void> => {
    for (const folder of folders) {
      assert.equal(await repository.topLevel(folder), folder);
      assert.match((await repository.head(folder)).commit, /^[0-9a-f]{40}$/);
    }
  };
  const refuse = (folder: string, words: RegExp) =>
    assert.rejects(repository.topLevel(folder), (error) => {
      assert.ok(error instanceof UnusableFolder, String(error));
      assert.match(error.message, words);
      return true;
    });

  it('names its branch although a tag has the same name', async () => {
    const folder = await sampleRepository();
    await git(folder, 'tag', 'main');
    assert.equal((await repository.head(folder)).branch, 'main');
  });

  it('says that a newer git has written it, and which git is in use', async () => {
    const folder = await sampleRepository();
    await git(folder, 'config', 'core.repositoryFormatVersion', '1');
    await git(folder, 'config', 'extensions.ofTheFuture', 'true');
    await refuse(
      folder,
      /unknown repository extension found: ofthefuture\. .*: git version \d.*, \/.*\/git\. Make sure/,
    );
  });

  it('is accepted in linked worktrees of any layout', async () => {
    const [main, root] = [await sampleRepository(), await temporaryFolder()];
    const [linked, sparse, relativeOne] = ['linked', 'sparse', 'relative'].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [linked, sparse, relativeOne]) {
      await git(main, 'worktree', 'add', '--quiet', folder);
    }
    await git(sparse, 'sparse-checkout', 'set', 'docs');
    // What `git worktree add --relative-paths` writes since Git 2.48.
    const own = join(main, '.git/worktrees/relative');
    await writeFile(join(own, 'gitdir'), `${relative(own, join(relativeOne, '.git'))}\n`);
    await writeFile(join(relativeOne, '.git'), `gitdir: ${relative(relativeOne, own)}\n`);
    await accept(main, linked, sparse, relativeOne);

    await git(root, 'clone', '--quiet', '--bare', main, join(root, '.bare'));
    const ofBare = join(root, 'of-bare');
    await git(join(root, '.bare'), 'worktree', 'add', '--quiet', ofBare);
    await accept(ofBare);
  });

  it('is accepted in a submodule and its worktrees', async () => {
    const [main, other, root] = [await sampleRepository(), await sampleRepository(), await temporaryFolder()];
    await git(main, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'parts/sub');
    const [submodule, linked] = [join(main, 'parts/sub'), join(root, 'linked')];
    await git(submodule, 'worktree', 'add', '--quiet', linked);
    await accept(main, submodule, linked);
    // Moves `core.worktree` into another file.
    await git(submodule, 'sparse-checkout', 'set', 'docs');
    await accept(submodule, linked);
  });

  it('is accepted if it is kept elsewhere', async () => {
    const root = await temporaryFolder();
    const folder = join(root, 'folder');
    await git(root, 'clone', '--quiet', '--separate-git-dir', join(root, 'kept.git'), await sampleRepository(), folder);
    await accept(folder);
  });

  it('is accepted in clones that share objects, and with a remote’s default branch', async () => {
    const [main, root] = [await sampleRepository(), await temporaryFolder()];
    for (const [name, ...how] of [
      ['shared', '--shared'],
      ['reference', '--reference', main],
    ] as const) {
      await git(root, 'clone', '--quiet', ...how, '--no-local', main, join(root, name));
      assert.match(await git(join(root, name), 'symbolic-ref', 'refs/remotes/origin/HEAD'), /origin\/main/);
      await git(join(root, name), 'pack-refs', '--all');
      await accept(join(root, name));
    }
  });

  it('has published only what a ref of a remote has, not what such a ref takes from a local branch', async () => {
    const folder = await sampleRepository();
    const commit = (await git(folder, 'rev-parse', 'HEAD')).trim();
    const why = async () => {
      const job = { id: 'j1', branch: 'docs-agent/j1', baseCommit: null, pushedCommit: null, pushedTo: null };
      const references = ['refs/remotes/origin/*', 'refs/remotes/mirror/*'];
      const remote = { name: 'origin', url: '/srv/docs.git', references };
      return (
        await whyNotPushed({ git: plain, repository }, { job, commit, folder, hostGit: join(folder, '.git') }, remote)
      )?.code;
    };
    await git(folder, 'symbolic-ref', 'refs/remotes/origin/main', 'refs/heads/main');
    assert.equal(await why(), 'commitNotPublished');
    await git(folder, 'update-ref', 'refs/remotes/mirror/a/main', commit);
    await git(folder, 'symbolic-ref', 'refs/remotes/mirror/HEAD', 'refs/remotes/mirror/a/main');
    assert.equal(await why(), undefined);
  });
});
