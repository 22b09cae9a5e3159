import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { access, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Git, GitError } from '../../../src/git/git';
import { findProgram } from '../../../src/git/programPaths';
import { UserRepository } from '../../../src/local-service/git/userRepository';
import {
  createSampleRepository,
  git as plainGit,
  sampleRepository,
  temporaryFolder,
} from '../../support/temporaryRepository';

describe('Git', function () {
  let folder: string;
  before(async () => {
    folder = await sampleRepository();
  });
  const git = new Git(process.env);

  it('passes arguments literally and treats paths as literal, not as patterns', async () => {
    const args = ['ls-files', '--', '*.md', '; id', '$(id)'];
    assert.equal(await git.run({ folder }, args), '');
    assert.equal(await git.run({ folder }, ['ls-files', '--', 'README.md']), 'README.md\n');
  });

  it('rejects with git’s exit code and error message', async () => {
    await assert.rejects(git.run({ folder }, ['rev-parse', '--verify', 'nothing']), (error) => {
      assert.ok(error instanceof GitError);
      assert.equal(error.exitCode, 128);
      assert.match(error.message, /fatal: Needed a single revision/);
      return true;
    });
  });

  /** Uses `GIT_NO_LAZY_FETCH=0` to simulate an older git that does not know the variable. */
  it('says which lock a killed git has left, and not what git prints about processes', async () => {
    const own = await temporaryFolder();
    await createSampleRepository(own);
    const lock = join(own, '.git', 'refs', 'heads', 'locked.lock');
    await writeFile(lock, '');
    await assert.rejects(git.run({ folder: own }, ['update-ref', 'refs/heads/locked', 'HEAD']), ({ message }: Error) =>
      message.endsWith(`or was killed. If none is running, delete “${lock}”.`),
    );
  });

  it('does not fetch missing objects of a partial clone through a program of its remote', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const home = await temporaryFolder();
    const [whole, partial, mark] = [join(home, 'whole'), join(home, 'partial'), join(home, 'mark')];
    await mkdir(whole);
    await createSampleRepository(whole);
    await plainGit(whole, 'config', 'uploadpack.allowFilter', 'true');
    await plainGit(home, 'clone', '--quiet', '--filter=blob:none', '--no-checkout', `file://${whole}`, partial);
    await writeFile(join(home, 'trap'), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
    await plainGit(partial, 'config', 'remote.origin.uploadpack', join(home, 'trap'));
    const place = { folder: partial, environment: { GIT_NO_LAZY_FETCH: '0' } };
    await assert.rejects(git.run(place, ['cat-file', 'blob', 'HEAD:README.md']));
    await assert.rejects(access(mark), 'no program was run');
    // Plain git does run the program.
    await assert.rejects(plainGit(partial, 'cat-file', 'blob', 'HEAD:README.md'));
    await access(mark);
  });

  it('ignores diff.orderFile of the repository, even when it is a pipe that would block', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const own = await sampleRepository();
    const pipe = join(own, '.git/order');
    execFileSync('mkfifo', [pipe]);
    await plainGit(own, 'config', 'diff.orderFile', pipe);
    await writeFile(join(own, 'README.md'), 'New\n');
    const printed = await git.run({ folder: own }, ['diff', '--name-only'], { timeoutMs: 5_000 });
    assert.equal(printed, 'README.md\n');
  });

  it('stops a command that prints more than the limit', async () => {
    await assert.rejects(git.run({ folder }, ['log', '-p'], { maxBytes: 100 }), (error) => {
      return error instanceof GitError && error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
    });
  });

  it('reports a missing git', async () => {
    await assert.rejects(new Git(process.env, 'no-such-git').run({ folder }, ['status']), /git was not found/);
  });

  it('runs git from PATH and never from the repository or the current folder', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const hostile = await sampleRepository();
    await writeFile(join(hostile, 'git'), '#!/bin/sh\necho got in\n', { mode: 0o755 });
    const PATH = ['', '.', process.env['PATH']].join(delimiter);
    const found = new Git({ ...process.env, PATH });
    assert.equal(await found.run({ folder: hostile }, ['rev-parse', '--show-toplevel']), `${hostile}\n`);
    await rm(join(hostile, '.git'), { recursive: true });
    await assert.rejects(
      new Git({ PATH: ['', '.'].join(delimiter) }).run({ folder: hostile }, ['x']),
      /git was not found/,
    );
  });

  it('rejects git older than 2.38 and notices when it has been updated', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const bin = await temporaryFolder();
    await writeFile(join(bin, 'git'), '#!/bin/sh\necho git version 2.37.8\n', { mode: 0o755 });
    const old = new Git({ ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) });
    const words = /^Your git is too old: it is 2\.37\.8, and 2\.38 is the least\. Install a newer git/;
    await assert.rejects(old.check(), { message: words });
    await assert.rejects(new UserRepository(old).topLevel(folder), { message: words });
    await rm(join(bin, 'git'));
    await symlink((await findProgram('git', process.env)) ?? '', join(bin, 'git'));
    await old.check();
  });

  it('ignores environment variables that point to another repository', async () => {
    const elsewhere = new Git({ ...process.env, GIT_DIR: '/nowhere', GIT_CONFIG_PARAMETERS: "'core.bare'='true'" });
    assert.equal((await elsewhere.run({ folder }, ['rev-parse', '--show-toplevel'])).trim(), folder);
  });

  it('allows only the local transport', async () => {
    const url = 'ext::sh -c "echo got in >&2"';
    await assert.rejects(git.run({ folder }, ['ls-remote', url]), /transport 'ext' not allowed/);
  });
});
