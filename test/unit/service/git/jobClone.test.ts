import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from '../../../../src/git/git';
import { jobFolders, prepareClones } from '../../../../src/service/git/jobClone';
import { commitTree, publishBranch } from '../../../../src/service/git/publishBranch';
import { TurnFailure } from '../../../../src/service/runner/turnFailure';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';

const BRANCH = 'docs-agent/j1';

describe('prepareClones', function () {
  this.timeout(120_000);

  it('copies what is on another disk', async function () {
    const folder = await temporaryFolder();
    const isElsewhere = (await stat('/dev/shm').catch(() => undefined))?.dev !== (await stat(folder)).dev;
    const other = isElsewhere ? await mkdtemp('/dev/shm/docs-agent-test-').catch(() => undefined) : undefined;
    if (other === undefined) {
      this.skip();
    }
    try {
      await createSampleRepository(other);
      const base = (await plainGit(other, 'rev-parse', 'HEAD')).trim();
      const folders = jobFolders(join(folder, 'job'));
      await prepareClones(new Git(process.env), folders, other, BRANCH, base);
      assert.equal((await plainGit(folders.work, 'rev-parse', 'HEAD')).trim(), base);
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });
});

describe('a branch “docs-agent” of the user’s', function () {
  this.timeout(120_000);
  const git = new Git(process.env);

  async function bench() {
    const folder = await temporaryFolder();
    const [repo, folders] = [join(folder, 'repository'), jobFolders(join(folder, 'job'))];
    await createSampleRepository(repo);
    const base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    return { repo, folders, base, prepare: () => prepareClones(git, folders, repo, BRANCH, base) };
  }
  const saysToRename = (error: unknown): boolean =>
    error instanceof TurnFailure && error.message.includes('Rename your branch “docs-agent”');

  it('is to be renamed before a job can start, which it then does', async () => {
    const { repo, folders, base, prepare } = await bench();
    await plainGit(repo, 'branch', 'docs-agent');
    await assert.rejects(prepare(), saysToRename);
    await plainGit(repo, 'branch', '-m', 'docs-agent', 'mine');
    await prepare();
    assert.equal((await plainGit(folders.work, 'rev-parse', BRANCH)).trim(), base);
  });

  it('that came while the agent worked holds its work up and loses nothing of it', async () => {
    const { repo, folders, base, prepare } = await bench();
    await prepare();
    const tree = (await plainGit(folders.hostGit, 'rev-parse', `${base}:docs`)).trim();
    const author = { name: 'Robin Example', email: 'robin@example.org' };
    const commit = await commitTree(git, folders, { branch: BRANCH, parent: base, tree, message: 'Work\n', author });
    await plainGit(repo, 'branch', 'docs-agent');
    await plainGit(repo, 'pack-refs', '--all');
    const publish = () => publishBranch(git, repo, folders.hostGit, BRANCH);
    await assert.rejects(publish(), saysToRename);
    await plainGit(repo, 'branch', '-m', 'docs-agent', 'mine');
    await publish();
    assert.equal((await plainGit(repo, 'rev-parse', BRANCH)).trim(), commit);
  });
});
