import assert from 'node:assert/strict';
import { mkdir, readdir, rename, symlink, writeFile, link } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../../src/base/async';
import { Git } from '../../../../src/git/git';
import { jobFolders, prepareClones } from '../../../../src/local-service/git/jobClone';
import { UserRepository } from '../../../../src/local-service/git/userRepository';
import { ArchiveRefused, JobArchive } from '../../../../src/local-service/jobs/jobArchive';
import { removeAll, REMOVING } from '../../../../src/local-service/removeFolder';
import { JobLocks } from '../../../../src/local-service/jobs/jobLocks';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { createTurn, openStore, sampleJob } from '../../../support/sampleTurn';
import { projectSettingsSchema } from '../../../../src/protocol/localService';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';
import { diskUsage } from '../../../../src/local-service/jobs/projectRegistry';
import { notOnWindows } from '../../../support/machine';

describe('JobArchive', function () {
  let store: SqlJobStore;
  notOnWindows();
  afterEach(() => store.close());

  async function bench(jobs: string[], remove?: typeof removeAll) {
    const root = await temporaryFolder();
    const [repo, jobsFolder] = [join(root, 'repository'), join(root, 'jobs')];
    await createSampleRepository(repo);
    await writeFile(join(repo, '.gitignore'), 'node_modules/\n__pycache__/\ndist/\n*.log\nprivate*\n');
    await plainGit(repo, 'add', '.gitignore');
    await plainGit(repo, 'commit', '--quiet', '-m', 'Ignore');
    await writeFile(join(root, 'everywhere'), '.env\n');
    await plainGit(repo, 'config', 'core.excludesFile', join(root, 'everywhere'));
    const base = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    store = await openStore(join(root, 'service.db'));
    await store.putProject({ id: 'p1', name: 'x', folder: repo, settings: projectSettingsSchema.parse({}) });
    const git = new Git(process.env);
    for (const id of jobs) {
      await store.finishTurn(await createTurn(store, sampleJob({ id, baseCommit: base }), 'prompt'), 'done');
      await prepareClones(git, jobFolders(join(jobsFolder, id)), repo, `docs-agent/${id}`, base);
    }
    const warnings: string[] = [];
    const log = { info: () => undefined, error: () => undefined, warn: (text: string) => warnings.push(text) };
    const repository = new UserRepository(git);
    const locks = new JobLocks();
    const archive = new JobArchive({
      store,
      git,
      repository,
      locks,
      jobsFolder,
      clock: systemClock,
      log,
      ...(remove && { remove }),
    });
    return { archive, jobsFolder, warnings };
  }

  const put = async (folder: string, path: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), 'x');
  };

  it('archives a job whose ignored files are only packages, caches, build results and logs', async () => {
    const { archive, jobsFolder } = await bench(['j1']);
    const generated = ['node_modules/a/private.md', 'lib/__pycache__/a.pyc', 'web/dist/private.js', 'docs/build.log'];
    await Promise.all(generated.map((path) => put(join(jobsFolder, 'j1/work'), path)));
    await archive.archive('j1', false);
    assert.deepEqual(await readdir(jobsFolder), []);
  });

  it('keeps a job with other ignored files, names them, and archives it only if they may be discarded', async () => {
    const { archive, jobsFolder } = await bench(['j1']);
    const work = join(jobsFolder, 'j1/work');
    await Promise.all(
      ['.env', 'docs/private.md', 'node_modules/a/b', 'private/\u00e9.md'].map((path) => put(work, path)),
    );
    await assert.rejects(archive.archive('j1', false), (error) => {
      assert.ok(error instanceof ArchiveRefused && error.canDiscard, String(error));
      assert.match(error.message, /files that Git ignores[^:]*: \.env, docs\/private\.md, private\/\u00e9\.md\. /);
      return true;
    });
    await archive.sweep(-1);
    assert.deepEqual(await readdir(jobsFolder), ['j1']);
    await archive.archive('j1', true);
    assert.deepEqual(await readdir(jobsFolder), []);
  });

  it('keeps a job whose clone can’t be read', async function () {
    const { archive, jobsFolder } = await bench(['j1']);
    await put(join(jobsFolder, 'j1/work'), 'mine.md');
    // Like a folder without permissions, but also for root: the error is ELOOP.
    const hostGit = join(jobsFolder, 'j1/host.git');
    await rename(hostGit, `${hostGit}.kept`);
    await symlink(hostGit, hostGit);
    await archive.sweep(-1);
    assert.deepEqual(await readdir(jobsFolder), ['j1']);
  });

  it('names only a few of many ignored files', async () => {
    const { archive, jobsFolder } = await bench(['j1']);
    const paths = Array.from({ length: 500 }, (_, index) => `docs/private-${index}.md`);
    await Promise.all(paths.map((path) => put(join(jobsFolder, 'j1/work'), path)));
    await assert.rejects(archive.archive('j1', false), (error) => {
      assert.equal(String(error).match(/docs\/private-\d+\.md/g)?.length, 5);
      assert.match(String(error), /\.md, …\. /);
      return true;
    });
  });

  const IDENTITY = ['-c', 'user.name=Agent', '-c', 'user.email=agent@example'];

  for (const [what, named, script] of [
    ['on another branch', 'feature/x', 'git switch -qc feature/x && COMMIT && git switch -q -'],
    [
      'on another branch, with packed refs',
      'feature/x',
      'git switch -qc feature/x && COMMIT && git switch -q - && git pack-refs --all',
    ],
    [
      'on a branch that it left for a commit',
      'feature/x',
      'git switch -qc feature/x && COMMIT && git checkout -q HEAD~1',
    ],
    ['under a tag', 'tags/kept', 'git checkout -q --detach && COMMIT && git tag kept && git switch -q -'],
    [
      'in a linked worktree',
      'worktrees/second/HEAD',
      'git worktree add -q --detach ../second && cd ../second && COMMIT',
    ],
    ['in the stash', 'stash', 'echo Mine >mine.md && git stash push -qu'],
  ] as const) {
    it(`keeps a job whose agent left commits ${what}, and archives it only if they may be discarded`, async () => {
      const { archive, jobsFolder } = await bench(['j1']);
      const commands = script.replace('COMMIT', 'echo Mine >mine.md && git add . && git commit -qm Mine');
      await plainGit(join(jobsFolder, 'j1/work'), ...IDENTITY, '-c', `alias.x=!${commands}`, 'x');
      await assert.rejects(archive.archive('j1', false), (error) => {
        assert.ok(error instanceof ArchiveRefused && error.canDiscard, String(error));
        assert.ok(error.message.includes(`any of your branches: ${named}. `), error.message);
        return true;
      });
      await archive.sweep(-1);
      assert.deepEqual(await readdir(jobsFolder), ['j1']);
      await archive.archive('j1', true);
      assert.deepEqual(await readdir(jobsFolder), []);
    });
  }

  it('archives a job with other branches that have no commits of their own', async () => {
    const { archive, jobsFolder } = await bench(['j1']);
    await plainGit(join(jobsFolder, 'j1/work'), 'branch', 'same');
    await archive.archive('j1', false);
    assert.deepEqual(await readdir(jobsFolder), []);
  });

  it('removes other folders when one cannot be removed and still completes the archive', async () => {
    // Simulates a folder that cannot be removed, such as a mount or one on a failing disk.
    const remove = (folder: string): Promise<void> =>
      folder.includes('stuck') ? Promise.reject(new Error('the disk fails')) : removeAll(folder);
    const { archive, jobsFolder, warnings } = await bench(['stuck', 'j2'], remove);
    await archive.archive('stuck', false);
    assert.notEqual((await store.job('stuck'))?.archivedAt, null);
    await archive.sweep(-1);
    const [left = '', ...others] = await readdir(jobsFolder);
    assert.ok(left.startsWith(`${REMOVING}stuck-`), left);
    assert.deepEqual(others, []);
    assert.equal(warnings.length, 2);
  });
});

const KIB = 1024;

describe('diskUsage', () => {
  /** Size in KiB, rounded to exclude file system overhead. */
  const rounded = (bytes: number) => Math.round(bytes / (64 * KIB)) * 64;
  const content = Buffer.alloc(128 * KIB, 'x');

  it('counts only space that deletion would free: no files linked elsewhere', async () => {
    const root = await temporaryFolder();
    const folder = join(root, 'job');
    await mkdir(join(folder, 'deep'), { recursive: true });
    await writeFile(join(folder, 'alone'), content);
    await writeFile(join(root, 'outside'), content);
    await link(join(root, 'outside'), join(folder, 'shared with another folder'));
    await writeFile(join(folder, 'deep/another'), content);
    assert.equal(rounded(await diskUsage(folder)), 256);
  });

  it('returns 0 for a missing folder', async () => {
    assert.equal(await diskUsage(join(await temporaryFolder(), 'gone')), 0);
  });
});
