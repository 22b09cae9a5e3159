import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmod,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
  mkdir,
} from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { Git } from '../../../../src/git/git';
import { jobFolders, prepareClones } from '../../../../src/local-service/git/jobClone';
import { commitTree, publishBranch } from '../../../../src/local-service/git/jobBranch';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';
import { removeStalePushDirectories, withPushDirectory } from '../../../../src/local-service/git/pushBranch';
import { itOnUnix } from '../../../support/machine';

const BRANCH = 'docs-agent/j1';

describe('prepareClones', function () {
  it('copies a repository from another disk', async function () {
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

  it('clones merged work whose branch was deleted from a shallow repository', async () => {
    const folder = await temporaryFolder();
    const [origin, repo, folders] = [join(folder, 'origin'), join(folder, 'repo'), jobFolders(join(folder, 'job'))];
    await createSampleRepository(origin);
    await plainGit(origin, 'commit', '--quiet', '--allow-empty', '-m', 'Second');
    await plainGit(folder, 'clone', '--quiet', '--depth=1', `file://${origin}`, repo);
    await plainGit(repo, 'switch', '--quiet', '--create', BRANCH);
    await plainGit(repo, 'commit', '--quiet', '--allow-empty', '-m', 'Work');
    const work = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    await plainGit(repo, 'update-ref', 'refs/docs-agent/merged/j1', work);
    await plainGit(repo, 'switch', '--quiet', 'main');
    await plainGit(repo, 'branch', '--quiet', '--delete', '--force', BRANCH);
    await prepareClones(new Git(process.env), folders, repo, BRANCH, work);
    assert.equal((await plainGit(folders.work, 'rev-parse', 'HEAD')).trim(), work);
    assert.equal((await plainGit(folders.work, 'rev-list', '--count', 'HEAD')).trim(), '2');
  });
});

describe('a user’s branch named “docs-agent”', function () {
  const git = new Git(process.env);

  async function bench() {
    const folder = await temporaryFolder();
    const [repo, folders] = [join(folder, 'repository'), jobFolders(join(folder, 'job'))];
    await createSampleRepository(repo);
    const base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    return { repo, folders, base, prepare: () => prepareClones(git, folders, repo, BRANCH, base) };
  }
  const saysToRename = (error: unknown): boolean =>
    error instanceof TurnFailure &&
    error.message.includes('Rename your branch, for example with “git branch -m docs-agent');

  it('must be renamed before a job can start', async () => {
    const { repo, folders, base, prepare } = await bench();
    await plainGit(repo, 'branch', 'docs-agent');
    await assert.rejects(prepare(), saysToRename);
    await plainGit(repo, 'branch', '-m', 'docs-agent', 'mine');
    await prepare();
    assert.equal((await plainGit(folders.work, 'rev-parse', BRANCH)).trim(), base);
  });

  it('blocks publishing without losing work when created during the agent’s run', async () => {
    const { repo, folders, base, prepare } = await bench();
    await prepare();
    const tree = (await plainGit(folders.hostGit, 'rev-parse', `${base}:docs`)).trim();
    const author = { name: 'Robin Example', email: 'robin@example.org' };
    const made = await commitTree(git, folders, { branch: BRANCH, parent: base, tree, message: 'Work\n', author });
    const commit = made?.id;
    await plainGit(repo, 'branch', 'docs-agent');
    await plainGit(repo, 'pack-refs', '--all');
    const publish = () => publishBranch(git, repo, folders.hostGit, BRANCH);
    await assert.rejects(publish(), saysToRename);
    await plainGit(repo, 'branch', '-m', 'docs-agent', 'mine');
    await publish();
    assert.equal((await plainGit(repo, 'rev-parse', BRANCH)).trim(), commit);
  });
});

describe('the agent’s clone', function () {
  const git = new Git(process.env);

  async function bench() {
    const folder = await temporaryFolder();
    const [repo, folders] = [join(folder, 'repository'), jobFolders(join(folder, 'job'))];
    await createSampleRepository(repo);
    // Leaves the repository with one pack and some loose objects.
    await plainGit(repo, 'gc', '--quiet');
    await writeFile(join(repo, 'more.md'), 'more');
    await plainGit(repo, 'add', '--all');
    await plainGit(repo, 'commit', '--quiet', '-m', 'More');
    const base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    const prepare = (maxCopiedBytes?: number) => prepareClones(git, folders, repo, BRANCH, base, maxCopiedBytes);
    return { repo, folders, base, prepare };
  }

  /** Paths of all files below a folder, without following symlinks. */
  async function filesBelow(folder: string): Promise<string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  }

  async function sharedFiles(folder: string): Promise<string[]> {
    const files = await filesBelow(folder);
    const links = await Promise.all(files.map(async (file) => (await lstat(file)).nlink));
    return files.filter((_, index) => (links[index] ?? 0) > 1);
  }

  async function contentsBelow(folder: string): Promise<Record<string, string>> {
    const contents: Record<string, string> = {};
    for (const file of await filesBelow(folder)) {
      contents[file] = createHash('sha256')
        .update(await readFile(file))
        .digest('hex');
    }
    return contents;
  }

  /** Simulates a hostile agent that can write only inside its clone. */
  async function overwriteAll(work: string): Promise<void> {
    for (const file of await filesBelow(work)) {
      await chmod(file, 0o600);
      await writeFile(file, 'overwritten');
    }
  }

  for (const [how, maxCopiedBytes] of [
    ['copied', undefined],
    ['borrowed, as in a large repository', 0],
  ] as const) {
    it(`cannot change the user’s repository when its objects are ${how}`, async () => {
      const { repo, folders, base, prepare } = await bench();
      const before = await contentsBelow(join(repo, '.git/objects'));
      await prepare(maxCopiedBytes);
      assert.equal((await plainGit(folders.work, 'rev-parse', 'HEAD')).trim(), base);
      assert.equal(await plainGit(folders.work, 'status', '--porcelain'), '');
      assert.deepEqual(await sharedFiles(folders.work), []);
      await overwriteAll(folders.work);
      assert.deepEqual(await contentsBelow(join(repo, '.git/objects')), before);
      await plainGit(repo, 'fsck', '--strict');
      await plainGit(folders.hostGit, 'fsck', '--strict');
    });
  }

  it('contains all objects so that it works alone in a container', async () => {
    const { folders, base, prepare } = await bench();
    await prepare();
    await rename(folders.hostGit, `${folders.hostGit}.away`);
    await plainGit(folders.work, 'fsck', '--strict');
    assert.match(await plainGit(folders.work, 'log', '--format=%H'), new RegExp(`^${base}\n`));
  });

  it('finds the borrowed objects of a large repository after the job’s folder has moved', async () => {
    const { folders, base, prepare } = await bench();
    await prepare(0);
    const moved = join(folders.work, '../../moved');
    await rename(join(folders.work, '..'), moved);
    assert.match(await plainGit(join(moved, 'work'), 'log', '--format=%H'), new RegExp(`^${base}\n`));
  });

  itOnUnix('is created again when the agent replaced it with a symlink', async () => {
    const { repo, folders, prepare } = await bench();
    await prepare();
    await rm(folders.work, { recursive: true });
    await symlink(repo, folders.work);
    await prepare();
    assert.ok((await lstat(folders.work)).isDirectory());
    assert.equal(await plainGit(folders.work, 'status', '--porcelain'), '');
    assert.ok((await stat(join(repo, 'docs/index.md'))).isFile());
  });
});

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
    const at = await withPushDirectory(parent, join(folder, 'repository/.git'), commit, async (directory) => {
      assert.equal(await git.run({ folder: directory, gitDir: directory }, ['cat-file', '-t', commit]), 'commit\n');
      return directory;
    });
    assert.equal(dirname(at), parent);
    if (process.platform !== 'win32') {
      assert.equal((await stat(parent)).mode & 0o777, 0o700);
    }
    assert.deepEqual(await readdir(parent), []);
  });

  it('removes what a killed service has left', async () => {
    const parent = join(folder, 'left');
    await mkdir(join(parent, 'push-aB3xYz'), { recursive: true });
    await removeStalePushDirectories(parent);
    assert.equal((await readdir(folder)).includes('left'), false);
    await removeStalePushDirectories(parent);
  });
});
