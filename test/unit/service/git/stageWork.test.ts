import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { Git } from '../../../../src/git/git';
import { type JobFolders, jobFolders, prepareClones } from '../../../../src/service/git/jobClone';
import { leadsOutByText, stageWork } from '../../../../src/service/git/stageWork';
import { TurnFailure } from '../../../../src/service/runner/turnFailure';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';

describe('stageWork', function () {
  this.timeout(120_000);
  const git = new Git(process.env);
  let folders: JobFolders;
  let parent: string;
  before(function () {
    if (process.platform === 'win32') {
      this.skip();
    }
  });
  beforeEach(async () => {
    const folder = await temporaryFolder();
    const repo = join(folder, 'repository');
    await createSampleRepository(repo);
    await writeFile(join(repo, '.gitignore'), 'node_modules/\n*.sock\ntracked/\n');
    await mkdir(join(repo, 'tracked'));
    await writeFile(join(repo, 'tracked/file'), 'x');
    const head = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    await plainGit(repo, 'add', '--force', '.gitignore', 'tracked/file');
    await plainGit(repo, 'update-index', '--add', '--cacheinfo', `160000,${head},libs/sub`);
    await plainGit(repo, 'commit', '--quiet', '-m', 'More');
    parent = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    folders = jobFolders(join(folder, 'job'));
    await prepareClones(git, folders, repo, 'docs-agent/j1', parent);
  });

  const put = async (path: string): Promise<void> => {
    await mkdir(dirname(join(folders.work, path)), { recursive: true });
    await writeFile(join(folders.work, path), 'x');
  };
  const refused = (words: RegExp) =>
    assert.rejects(stageWork(git, folders, parent), (error) => {
      assert.ok(error instanceof TurnFailure, String(error));
      assert.match(error.message, words);
      return true;
    });
  const changed = async (): Promise<string> =>
    plainGit(folders.hostGit, 'diff', '--name-only', parent, await stageWork(git, folders, parent));

  it('takes work beside repositories and special files that are ignored', async () => {
    await put('guide.md');
    await mkdir(join(folders.work, 'node_modules/x'), { recursive: true });
    await plainGit(join(folders.work, 'node_modules/x'), 'init', '--quiet');
    await put('node_modules/y/.git');
    await put('node_modules/:(top)[a-z]*/.git');
    for (const pipe of ['node_modules/pipe', 'docs/agent.sock']) {
      await promisify(execFile)('mkfifo', [join(folders.work, pipe)]);
    }
    assert.equal(await changed(), 'guide.md\n');
  });

  it('refuses a repository that is not ignored, also beside one that is', async () => {
    await put('node_modules/y/.git');
    await put(':(top)nested/.git');
    await refused(
      /^The agent left a repository inside the repository at “:\(top\)nested\/\.git”\. Nothing was committed\.$/,
    );
  });

  it('refuses one in an ignored folder of which files are tracked, and one in a submodule', async () => {
    await put('tracked/.git');
    await refused(/a repository inside the repository at “tracked\/\.git”/);
    await put('libs/sub/deep/.git');
    await refused(/a repository inside the repository at “(libs\/sub\/deep|tracked)\/\.git”/);
  });

  it('refuses a special file that is not ignored', async () => {
    await promisify(execFile)('mkfifo', [join(folders.work, 'docs/pipe')]);
    await refused(/^The agent left a special file at “docs\/pipe”\. Nothing was committed\.$/);
  });

  it('refuses work in the folder of a submodule, where no commit would hold it', async () => {
    await put('guide.md');
    assert.equal(await changed(), 'guide.md\n');
    await put('libs/sub/README.md');
    await refused(/^The agent worked in “libs\/sub”, which is a submodule/);
  });
});

describe('leadsOutByText', () => {
  const cases: [string, string, boolean][] = [
    ['link', 'README.md', false],
    ['docs/link', '../README.md', false],
    ['docs/link', '.', false],
    ['docs/link', '..', false],
    ['link', '..', true],
    ['docs/link', '../../README.md', true],
    ['link', '/etc/passwd', true],
    ['link', 'C:\\secret', true],
    ['link', '\\\\host\\share', true],
    ['link', 'docs\\..\\..\\secret', true],
    ['link', 'docs/../README.md', true],
    ['link', '.git/config', true],
    ['link', 'docs/.GIT/config', true],
    ['link', '', true],
  ];
  for (const [path, target, out] of cases) {
    it(`${out ? 'refuses' : 'takes'} ${path} → “${target}”`, () => assert.equal(leadsOutByText(path, target), out));
  }

  it('takes nothing that a path above the root comes of', () => {
    const part = fc.constantFrom('..', '.', 'a', 'b', '');
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }),
        fc.array(part, { maxLength: 8 }),
        (folder, to) => {
          const target = to.join('/');
          const end = posix.normalize(posix.join('/root', ...folder, target));
          if (!leadsOutByText([...folder, 'link'].join('/'), target)) {
            assert.ok(end.startsWith('/root'), end);
          }
        },
      ),
      { numRuns: 2000, seed: 7 },
    );
  });
});
