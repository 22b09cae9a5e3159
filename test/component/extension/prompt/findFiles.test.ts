import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listWithGit, askGitIgnored } from '../../../../src/extension/features/prompt/context/findFiles';
import { git, temporaryFolder } from '../../../support/temporaryRepository';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { withUserFileSettings } from '../../../../src/git/repositorySettings';
import { Git } from '../../../../src/git/git';

describe('listWithGit', () => {
  let top: string;
  const write = async (path: string, text = 'text\n'): Promise<void> => {
    await mkdir(dirname(join(top, path)), { recursive: true });
    await writeFile(join(top, path), text);
  };
  beforeEach(async () => {
    top = await temporaryFolder();
    await git(top, 'init', '-q');
    await write('.gitignore', '.env\nnode_modules/\n');
    await write('README.md');
    await write('packages/app/.env');
    await write('packages/app/node_modules/lib/index.js');
    await write('packages/app/src/a.ts');
    await git(top, 'add', '.');
    await write('packages/app/new.md');
  });

  it('lists files below a folder without those ignored at the repository’s root', async () => {
    const names = await listWithGit(join(top, 'packages/app'));
    assert.deepEqual(names?.toSorted(), ['new.md', 'src/a.ts']);
  });

  it('lists files below a symlinked folder', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const link = join(await temporaryFolder(), 'app');
    await symlink(join(top, 'packages/app'), link);
    assert.deepEqual((await listWithGit(link))?.toSorted(), ['new.md', 'src/a.ts']);
  });

  it('returns undefined outside a repository', async () => {
    await rm(join(top, '.git'), { recursive: true });
    assert.equal(await listWithGit(top), undefined);
  });
});

describe('askGitIgnored', () => {
  let top: string;
  const at = (path: string): string => join(top, 'work', path);
  const write = (path: string, text = 'text\n'): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  const git = (folder: string, ...args: string[]): void => {
    const own = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'protocol.file.allow=always'];
    execFileSync('git', [...own, ...args], { cwd: folder, stdio: 'ignore' });
  };
  const asked = async (...paths: string[]): Promise<string[]> => {
    const ignored = await askGitIgnored(new Git(process.env), paths.map(at));
    return paths.filter((path) => ignored.has(at(path))).toSorted();
  };

  beforeEach(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'docs-agent-ignored-')));
    mkdirSync(at(''));
    git(at(''), 'init', '-q');
    write('.git/info/exclude', 'private.env\n');
    write('seen.md');
    write('private.env');
  });
  afterEach(() => rmSync(top, { recursive: true }));

  it('includes paths listed only in .git/info/exclude or core.excludesFile', async () => {
    writeFileSync(join(top, 'everywhere'), 'global.env\n');
    git(at(''), 'config', 'core.excludesFile', join(top, 'everywhere'));
    write('global.env');
    assert.deepEqual(await asked('seen.md', 'private.env', 'global.env'), ['global.env', 'private.env']);
    assert.deepEqual(await asked('seen.md'), []);
  });

  it('includes paths listed only in the file that git reads by default for all repositories', async () => {
    write('../settings/git/ignore', 'global.env\n');
    write('global.env');
    const git = new Git({ ...process.env, XDG_CONFIG_HOME: join(top, 'settings'), GIT_CONFIG_GLOBAL: '/dev/null' });
    assert.ok((await askGitIgnored(git, [at('global.env')])).has(at('global.env')));
    const place = await withUserFileSettings(git, at(''));
    const others = await git.run(place, ['ls-files', '--others', '--exclude-standard']);
    assert.deepEqual(others.split('\n').slice(0, -1), ['seen.md']);
  });

  it('applies a .gitignore above the folder', async () => {
    write('.gitignore', 'part/key.txt\n');
    write('part/key.txt');
    assert.deepEqual(await asked('part/key.txt', 'part/other.txt'), ['part/key.txt']);
  });

  it('answers for each path regardless of unusual names of others', async () => {
    write('real/private.env');
    symlinkSync('real', at('link'));
    const strange = [':(glob)x', '*', '-x', 'a\nb'];
    strange.forEach((name) => write(name));
    assert.deepEqual(await asked(...strange, 'link/private.env', 'link/seen.md', 'private.env'), [
      'link/private.env',
      'private.env',
    ]);
  });

  it('asks a submodule or nested repository about its own files and the outer one about the rest', async () => {
    for (const name of ['lib', 'work/nested', 'work/vendor/other']) {
      mkdirSync(join(top, name), { recursive: true });
      git(join(top, name), 'init', '-q');
      git(join(top, name), 'commit', '-q', '--allow-empty', '-m', 'One');
    }
    git(at(''), 'submodule', 'add', '-q', join(top, 'lib'), 'sub');
    write('nested/.git/info/exclude', 'own.env\n');
    write('.gitignore', 'vendor/\n');
    writeFileSync(join(top, 'work/.git/modules/sub/info/exclude'), 'own.env\n');
    const paths = ['sub/own.env', 'sub/seen.md', 'nested/own.env', 'nested/seen.md', 'vendor'];
    assert.deepEqual(await asked(...paths, 'private.env'), ['nested/own.env', 'private.env', 'sub/own.env', 'vendor']);
  });

  it('includes all paths of a repository for which git gives no answer, and none without a repository', async () => {
    git(at(''), 'config', 'core.repositoryFormatVersion', '99');
    assert.deepEqual(await asked('seen.md'), ['seen.md']);
    rmSync(at('.git'), { recursive: true });
    assert.deepEqual(await asked('seen.md'), []);
  });
});
