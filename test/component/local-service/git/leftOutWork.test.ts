import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { Git, GitError } from '../../../../src/git/git';
import { commitsElsewhere, ignoredWork } from '../../../../src/local-service/git/leftOutWork';
import { jobFolders, type JobFolders, prepareClones } from '../../../../src/local-service/git/jobClone';
import { temporaryFolder, createSampleRepository, git as plainGit } from '../../../support/temporaryRepository';
import { stageWork } from '../../../../src/local-service/git/stageWork';
import { notOnWindows } from '../../../support/machine';

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
});

describe('stageWork and ignoredWork with files that only the user’s own git ignores', function () {
  let home: string;
  let repo: string;
  let folders: JobFolders;
  let parent: string;
  notOnWindows();
  beforeEach(async () => {
    const folder = await temporaryFolder();
    [home, repo, folders] = [join(folder, 'home'), join(folder, 'repository'), jobFolders(join(folder, 'job'))];
    parent = await createSampleRepository(repo);
    await prepareClones(new Git(process.env), folders, repo, 'docs-agent/j1', parent);
    await write(folders.work, 'guide.md');
    await write(folders.work, '.env');
    await write(folders.work, '.venv/package/.git');
  });

  async function write(folder: string, path: string, text = 'x'): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const own = (variables: NodeJS.ProcessEnv = {}): Git =>
    new Git({ PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...variables });
  const staged = async (git: Git): Promise<string[]> => {
    const tree = await stageWork(git, folders, repo, parent);
    return (await plainGit(folders.hostGit, 'diff', '--name-only', parent, tree)).split('\n').slice(0, -1);
  };

  const IGNORE = '.env\n.venv/\n';
  const places: [place: string, files: Record<string, string>, variables?: () => NodeJS.ProcessEnv][] = [
    [
      'a path below the home folder in ~/.gitconfig',
      { '.gitconfig': '[core]\nexcludesFile = ~/my own ignores\n', 'my own ignores': IGNORE },
    ],
    [
      'the configuration for the folder of the repository',
      {
        '.gitconfig': '[includeIf "gitdir:repository/"]\npath = ~/work\n',
        work: '[core]\nexcludesFile = ~/ignores\n',
        ignores: IGNORE,
      },
    ],
    ['~/.config/git/ignore', { '.config/git/ignore': IGNORE }],
    [
      '$XDG_CONFIG_HOME/git/ignore',
      { 'settings/git/ignore': IGNORE },
      () => ({ XDG_CONFIG_HOME: join(home, 'settings') }),
    ],
    [
      '$XDG_CONFIG_HOME/git/config',
      { 'settings/git/config': '[core]\nexcludesFile = ~/ignores\n', ignores: IGNORE },
      () => ({ XDG_CONFIG_HOME: join(home, 'settings') }),
    ],
  ];
  for (const [place, files, variables] of places) {
    it(`leaves out what is ignored by ${place}, and names it`, async () => {
      await Promise.all(Object.entries(files).map(([path, text]) => write(home, path, text)));
      const git = own(variables?.());
      assert.deepEqual(await staged(git), ['guide.md']);
      assert.equal(await ignoredWork(git, folders, repo), '.env');
    });
  }

  it('resolves a relative path in the repository, not in the folder where the agent works', async () => {
    await plainGit(repo, 'config', 'core.excludesFile', 'ignores');
    await write(repo, 'ignores', IGNORE);
    await write(folders.work, 'ignores', 'guide.md\n');
    assert.deepEqual(await staged(own()), ['guide.md', 'ignores']);
    assert.equal(await ignoredWork(own(), folders, repo), '.env');
  });

  it('ignores nothing that only the agent’s clone or the job’s git directory is configured to ignore', async () => {
    await rm(join(folders.work, '.venv'), { recursive: true });
    await write(home, 'ignores', 'guide.md\n.env\n');
    for (const gitDir of [join(folders.work, '.git'), folders.hostGit]) {
      await plainGit(home, `--git-dir=${gitDir}`, 'config', 'core.excludesFile', join(home, 'ignores'));
    }
    assert.deepEqual(await staged(own()), ['.env', 'guide.md']);
    assert.equal(await ignoredWork(own(), folders, repo), undefined);
  });

  it('follows an empty setting, which turns off git’s default file', async () => {
    await rm(join(folders.work, '.venv'), { recursive: true });
    await write(home, '.gitconfig', '[core]\nexcludesFile =\n');
    await write(home, '.config/git/ignore', IGNORE);
    assert.deepEqual(await staged(own()), ['.env', 'guide.md']);
  });

  it('stages nothing if the user’s configuration can’t be read', async () => {
    await write(home, '.gitconfig', '[core\n');
    await assert.rejects(stageWork(own(), folders, repo, parent), GitError);
  });

  it('uses git’s default file if the repository is gone', async () => {
    await write(home, '.config/git/ignore', IGNORE);
    await rm(repo, { recursive: true });
    assert.deepEqual(await staged(own()), ['guide.md']);
  });
});
