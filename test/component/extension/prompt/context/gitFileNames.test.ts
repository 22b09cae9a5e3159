import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listWithGit } from '../../../../../src/extension/features/prompt/context/findFiles';
import { git, temporaryFolder } from '../../../../support/temporaryRepository';

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
