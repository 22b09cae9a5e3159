import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Git } from '../../../../src/git/git';
import { type JobFolders, jobFolders, prepareClones } from '../../../../src/local-service/git/jobClone';
import { stageWork } from '../../../../src/local-service/git/stageWork';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { createSampleRepository, git as plainGit, temporaryFolder } from '../../../support/temporaryRepository';
import { itOnUnix, notOnWindows } from '../../../support/machine';

describe('stageWork', function () {
  const git = new Git(process.env);
  let repo: string;
  let folders: JobFolders;
  let parent: string;
  notOnWindows();
  beforeEach(async () => {
    const folder = await temporaryFolder();
    repo = join(folder, 'repository');
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
    assert.rejects(stageWork(git, folders, repo, parent), (error) => {
      assert.ok(error instanceof TurnFailure, String(error));
      assert.match(error.message, words);
      return true;
    });
  const changed = async (): Promise<string> =>
    plainGit(folders.hostGit, 'diff', '--name-only', parent, await stageWork(git, folders, repo, parent));

  it('stages work next to ignored repositories, and next to a pipe or a socket that a program has left', async () => {
    await put('guide.md');
    await mkdir(join(folders.work, 'node_modules/x'), { recursive: true });
    await plainGit(join(folders.work, 'node_modules/x'), 'init', '--quiet');
    await put('node_modules/y/.git');
    await put('node_modules/:(top)[a-z]*/.git');
    for (const pipe of ['node_modules/pipe', 'docs/pipe']) {
      await promisify(execFile)('mkfifo', [join(folders.work, pipe)]);
    }
    assert.equal(await changed(), 'guide.md\n');
  });

  it('refuses a nested repository that is not ignored, even next to an ignored one', async () => {
    await put('node_modules/y/.git');
    await put(':(top)nested/.git');
    await refused(/^The agent left a nested repository at “:\(top\)nested\/\.git”\. Nothing was committed\.$/);
  });

  it('refuses a nested repository in an ignored folder with tracked files or in a submodule', async () => {
    await put('tracked/.git');
    await refused(/a nested repository at “tracked\/\.git”/);
    await put('libs/sub/deep/.git');
    await refused(/a nested repository at “(libs\/sub\/deep|tracked)\/\.git”/);
  });

  const refusals: [string, string, RegExp][] = [
    ['a link that climbs out', 'ln -s ../../secret docs/secret', /link at “docs\/secret” that points outside/],
    ['a link into .git', 'ln -s .git/config config', /link at “config” that points outside/],
    ['a repository inside', 'git init -q nested; touch nested/x', /nested repository at “nested\/.git”/],
    ['a gitfile inside', 'mkdir nested; echo gitdir: /tmp > nested/.git', /nested repository at “nested\/.git”/],
    ['a name that is .git elsewhere', 'mkdir git~1; touch git~1/x', /git~1/],
  ];
  for (const [name, script, words] of refusals) {
    it(`refuses ${name}`, async () => {
      await promisify(execFile)('sh', ['-c', script], { cwd: folders.work });
      await refused(words);
    });
  }

  it('accepts symlinks that stay inside the repository', async () => {
    await symlink('../README.md', join(folders.work, 'docs/readme.md'));
    assert.equal(await changed(), 'docs/readme.md\n');
  });

  it('refuses changes in a submodule folder because no commit would include them', async () => {
    await put('guide.md');
    assert.equal(await changed(), 'guide.md\n');
    await put('libs/sub/README.md');
    await refused(/^The agent worked in “libs\/sub”, a submodule/);
  });

  it('finds the submodule among more files than git lists at once', async () => {
    await Promise.all(Array.from({ length: 2_000 }, (_, index) => put(`docs/a-page-of-the-documentation-${index}.md`)));
    await put('libs/sub/README.md');
    await refused(/^The agent worked in “libs\/sub”, a submodule/);
  });

  it('refuses a submodule that was removed or replaced', async () => {
    const sub = join(folders.work, 'libs/sub');
    const says = /^The agent worked in “libs\/sub”, a submodule/;
    await rm(sub, { recursive: true });
    await refused(says);
    await symlink('../docs', sub);
    await refused(says);
    await rm(sub);
    await put('libs/sub');
    await refused(says);
    await rm(join(folders.work, 'libs'), { recursive: true });
    await put('libs');
    await refused(says);
  });
});

describe('stageWork with attributes that were added after the files', function () {
  const git = new Git(process.env);
  const CRLF = 'one\r\ntwo\r\n';

  async function bench(attributes: string) {
    const folder = await temporaryFolder();
    const repo = join(folder, 'repository');
    await createSampleRepository(repo);
    const files: [string, string][] = [
      ['windows.md', CRLF],
      ['mixed.md', 'one\ntwo\r\n'],
      ['with "quotes"\nin two lines.md', CRLF],
      ['edited.md', CRLF],
      ['run.sh', CRLF],
      ['ident.md', '$Id: 1234 $\n'],
    ];
    for (const [name, text] of files) {
      await writeFile(join(repo, name), text);
    }
    await plainGit(repo, 'add', '--all');
    await plainGit(repo, 'commit', '--quiet', '-m', 'Files');
    await writeFile(join(repo, '.gitattributes'), `${attributes}\n`);
    await plainGit(repo, 'add', '.gitattributes');
    await plainGit(repo, 'commit', '--quiet', '-m', 'Attributes');
    const parent = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    const folders = jobFolders(join(folder, 'job'));
    await prepareClones(git, folders, repo, 'docs-agent/j1', parent);
    const changed = async (): Promise<string[]> => {
      const tree = await stageWork(git, folders, repo, parent);
      return (await plainGit(folders.hostGit, 'diff', '--raw', '--no-abbrev', '-z', parent, tree))
        .split('\0')
        .slice(0, -1);
    };
    const blob = async (name: string): Promise<string> =>
      (await plainGit(folders.hostGit, 'rev-parse', `${parent}:${name}`)).trim();
    return { folders, changed, blob };
  }

  for (const attributes of ['* text=auto', '* text', '* text=auto eol=crlf', '* text eol=crlf ident', '* ident']) {
    it(`commits only the file that the agent changed: “${attributes}”`, async () => {
      const { folders, changed } = await bench(attributes);
      assert.deepEqual(await changed(), []);
      await writeFile(join(folders.work, 'edited.md'), `${CRLF}three\r\n`);
      const entries = await changed();
      assert.equal(entries.length, 2);
      assert.match(entries[0] ?? '', / M$/);
      assert.equal(entries[1], 'edited.md');
    });
  }

  itOnUnix('commits the new mode of a file with its old content', async () => {
    const { folders, changed, blob } = await bench('* text');
    await chmod(join(folders.work, 'run.sh'), 0o755);
    const id = await blob('run.sh');
    assert.deepEqual(await changed(), [`:100644 100755 ${id} ${id} M`, 'run.sh']);
  });
});

describe('stageWork with unusual files left by an agent', function () {
  const git = new Git(process.env);
  let repo: string;
  let folders: JobFolders;
  let parent: string;
  before(function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
  });
  beforeEach(async () => {
    const folder = await temporaryFolder();
    repo = join(folder, 'repository');
    await createSampleRepository(repo);
    await writeFile(join(repo, '.gitignore'), 'ignored/\n');
    await plainGit(repo, 'add', '--all');
    await plainGit(repo, 'commit', '--quiet', '-m', 'Ignore');
    folders = jobFolders(join(folder, 'job'));
  });
  const prepare = async (): Promise<void> => {
    parent = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    await prepareClones(git, folders, repo, 'docs-agent/j1', parent);
  };
  /** Path in the work folder as bytes; each character of `path` is one byte. */
  const raw = (path: string, root = folders.work) =>
    Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
  const sh = (script: string) => promisify(execFile)('sh', ['-c', script], { cwd: folders.work });
  const changed = async (): Promise<string[]> => {
    const tree = await stageWork(git, folders, repo, parent);
    const printed = await plainGit(folders.hostGit, '-c', 'core.quotePath=true', 'diff', '--name-only', parent, tree);
    return printed.split('\n').filter((line) => line !== '');
  };
  const refused = (words: RegExp) =>
    assert.rejects(stageWork(git, folders, repo, parent), (error) => {
      assert.ok(error instanceof TurnFailure, String(error));
      assert.match(error.message, words);
      assert.ok(error.message.length < 500, `${error.message.length} characters`);
      return true;
    });

  it('stages existing and new files and folders whose names are not valid UTF-8', async () => {
    await mkdir(raw('caf\xe9', repo));
    await writeFile(raw('caf\xe9/a.md', repo), 'old');
    await plainGit(repo, 'add', '--all');
    await plainGit(repo, 'commit', '--quiet', '-m', 'Latin-1');
    await prepare();
    await writeFile(raw('docs/new.md'), 'new');
    assert.deepEqual(await changed(), ['docs/new.md']);
    await writeFile(raw('caf\xe9/\xfc.md'), 'new');
    await mkdir(raw('\xe4'));
    await writeFile(raw('\xe4/b.md'), 'new');
    assert.deepEqual(await changed(), ['"caf\\351/\\374.md"', 'docs/new.md', '"\\344/b.md"']);
  });

  it('accepts ignored folders and symlinks whose names are not valid UTF-8', async () => {
    await prepare();
    await mkdir(raw('ignored/caf\xe9/x'), { recursive: true });
    await plainGit(join(folders.work, 'ignored'), 'init', '--quiet', '.');
    await sh("mkfifo ignored/$(printf 'caf\\351')/pipe");
    await symlink('index.md', raw('docs/\xe9'));
    await symlink(Buffer.from('\xe9', 'latin1'), raw('docs/second'));
    assert.deepEqual(await changed(), ['docs/second', '"docs/\\351"']);
  });

  it('refuses nested repositories and outside symlinks with names that are not valid UTF-8', async () => {
    await prepare();
    await symlink('/etc', raw('docs/\xe9'));
    await refused(/a link at “docs\/\ufffd” that points outside the repository/);
    await rm(raw('docs/\xe9'));
    await mkdir(raw('caf\xe9'));
    await plainGit(repo, 'init', '--quiet', raw('x', folders.work).toString());
    await rename(raw('x'), raw('caf\xe9/x'));
    await refused(/a nested repository at “caf\ufffd\/x\/\.git”/);
  });

  it('detects changes in a submodule whose name is not valid UTF-8', async () => {
    const head = (await plainGit(repo, 'rev-parse', 'HEAD')).trim();
    await promisify(execFile)(
      'sh',
      [
        '-c',
        `printf '160000 ${head}\\t\\351\\0' | git update-index -z --index-info && git -c user.name=x -c user.email=x commit -qm Sub`,
      ],
      { cwd: repo },
    );
    await prepare();
    await mkdir(raw('\xe9'), { recursive: true });
    await writeFile(raw('\xe9/file'), 'x');
    await refused(/^The agent worked in “\ufffd”, a submodule/);
  });

  it('commits nothing when the job folder was removed or replaced by a symlink', async () => {
    await prepare();
    await rm(folders.work, { recursive: true });
    await refused(/^The agent removed or replaced the job folder\. Nothing was committed\. Send a follow-up/);
    await symlink(repo, folders.work);
    await refused(/^The agent removed or replaced the job folder/);
  });
});
