import assert from 'node:assert/strict';
import { Git, GitError } from '../../../../src/service/git/git';
import { createSampleRepository, temporaryFolder } from '../../../support/temporaryRepository';

describe('Git', function () {
  this.timeout(120_000);
  let folder: string;
  before(async () => {
    folder = await temporaryFolder();
    await createSampleRepository(folder);
  });
  const git = new Git(process.env);

  it('takes an argument as it is, and a path as no pattern', async () => {
    const args = ['ls-files', '--', '*.md', '; id', '$(id)'];
    assert.equal(await git.run({ folder }, args), '');
    assert.equal(await git.run({ folder }, ['ls-files', '--', 'README.md']), 'README.md\n');
  });

  it('tells how a command failed', async () => {
    await assert.rejects(git.run({ folder }, ['rev-parse', '--verify', 'nothing']), (error) => {
      assert.ok(error instanceof GitError);
      assert.equal(error.exitCode, 128);
      assert.match(error.message, /fatal: Needed a single revision/);
      return true;
    });
  });

  it('stops a command that prints more than is wanted', async () => {
    await assert.rejects(git.run({ folder }, ['log', '-p'], { maxBytes: 100 }), (error) => {
      return error instanceof GitError && error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
    });
  });

  it('says so when there is no git', async () => {
    await assert.rejects(new Git(process.env, 'no-such-git').run({ folder }, ['status']), /git was not found/);
  });

  it('does not follow what the environment says of a repository', async () => {
    const elsewhere = new Git({ ...process.env, GIT_DIR: '/nowhere', GIT_CONFIG_PARAMETERS: "'core.bare'='true'" });
    assert.equal((await elsewhere.run({ folder }, ['rev-parse', '--show-toplevel'])).trim(), folder);
  });

  it('speaks no transport but the local one', async () => {
    const url = 'ext::sh -c "echo got in >&2"';
    await assert.rejects(git.run({ folder }, ['ls-remote', url]), /transport 'ext' not allowed/);
  });
});
