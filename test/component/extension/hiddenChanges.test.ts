import { deepStrictEqual, match } from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import '../../support/fakeEditor';
import { withUserFileSettings } from '../../../src/git/repositorySettings';
import { type ChangeRepository, Git } from '../../../src/git/git';
import { git, sampleRepository, temporaryFolder } from '../../support/temporaryRepository';

const PAGE = 'docs/index.md';

describe('the changes of a job’s branch', () => {
  let folder: string;
  let commits: { base: string; commit: string };

  beforeEach(async () => {
    folder = await sampleRepository();
    const commit = async (): Promise<string> => {
      await git(folder, 'add', '--all');
      await git(folder, 'commit', '--quiet', '-m', 'Change');
      return (await git(folder, 'rev-parse', 'HEAD')).trim();
    };
    await writeFile(join(folder, PAGE), 'Install it with npm.\n');
    const base = await commit();
    await git(folder, 'switch', '--quiet', '-c', 'job');
    await writeFile(join(folder, PAGE), 'Install it with a script.\n');
    await writeFile(join(folder, '.gitattributes'), '*.md -diff\n');
    await writeFile(join(folder, 'docs/.gitattributes'), '*.md -diff\n');
    commits = { base, commit: await commit() };
  });

  const opened = async (at: string): Promise<ChangeRepository> => {
    const own = new Git(process.env);
    return { git: own, place: await withUserFileSettings(own, at), signal: AbortSignal.timeout(30_000) };
  };

  async function expectShown(at: string): Promise<void> {
    const { branchSummary } = await import('../../../src/extension/platform/jobRepository');
    const { branchDiff } = await import('../../../src/extension/features/job-page/jobDiff');
    const branch = { repository: { rootUri: { fsPath: at } }, ...commits } as never;
    const { files } = await branchSummary(branch, { open: () => opened(at) });
    const expected = ['.gitattributes', 'docs/.gitattributes', PAGE];
    deepStrictEqual(
      files.map(({ path, added, deleted }) => [path, added, deleted]),
      expected.map((path) => [path, 1, path === PAGE ? 1 : 0]),
    );
    const diff = await branchDiff(await opened(at), commits).diff();
    match(diff.files.find(({ path }) => path === PAGE)?.patch ?? '', /^\+Install it with a script\.$/m);
  }

  it('have their text, whatever the attributes in the work tree say', () => expectShown(folder));

  it('have their text, whatever the attributes in the index say', async () => {
    await rm(join(folder, '.gitattributes'));
    await rm(join(folder, 'docs/.gitattributes'));
    await expectShown(folder);
  });

  it('have their text in a linked work tree', async () => {
    const linked = join(await temporaryFolder(), 'linked');
    await git(folder, 'worktree', 'add', '--quiet', '--detach', linked, 'job');
    await expectShown(linked);
  });

  it('have their text, whatever the configuration says about large files', async () => {
    await git(folder, 'switch', '--quiet', 'main');
    await git(folder, 'config', 'core.bigFileThreshold', '1');
    await git(folder, 'config', 'attr.tree', 'job');
    await expectShown(folder);
  });

  it('include all commits that the pull request has, whatever branches the agent pushed', async () => {
    const { findBranchBase } = await import('../../../src/extension/platform/jobRepository');
    const refAt = (name: string, commit: string) => git(folder, 'update-ref', `refs/remotes/origin/${name}`, commit);
    const repository = {
      state: { HEAD: { name: 'job' }, remotes: [{ name: 'origin' }] },
      getMergeBase: async (one: string, other: string) => (await git(folder, 'merge-base', one, other)).trim(),
    };
    const base = () => findBranchBase({ repository, ref: 'job', remote: 'origin' } as never, commits.commit);
    await refAt('main', `${commits.base}~1`);
    await refAt('master', commits.base);
    const older = (await git(folder, 'rev-parse', `${commits.base}~1`)).trim();
    deepStrictEqual(await base(), older);
    await git(folder, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
    deepStrictEqual(await base(), older);
    await git(folder, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/master');
    deepStrictEqual(await base(), commits.base);
  });
});
