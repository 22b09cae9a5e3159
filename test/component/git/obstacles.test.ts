import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git, GitError } from '../../../src/git/git';
import { findReplacedSubmodules, findUnfinishedOperation } from '../../../src/git/obstacles';
import { git, sampleRepository, temporaryFolder } from '../../support/temporaryRepository';

const runner = new Git(process.env);

describe('unfinished git operation', () => {
  let root: string;
  beforeEach(async () => {
    root = await sampleRepository();
  });

  const find = (folder = root) => findUnfinishedOperation(runner, { folder });

  /** Creates two branches that differ in one file and checks out `mine`. */
  async function diverge(folder = root): Promise<void> {
    await git(folder, 'switch', '--quiet', '-c', 'other');
    await commit(folder, 'Other\n');
    await git(folder, 'switch', '--quiet', '-c', 'mine', 'HEAD~1');
    await commit(folder, 'Mine\n');
  }

  async function commit(folder: string, text: string): Promise<void> {
    await writeFile(join(folder, 'README.md'), text);
    await git(folder, 'commit', '--quiet', '-am', 'Change the README');
  }

  it('is undefined when nothing is in progress', async () => {
    strictEqual(await find(), undefined);
    await rejects(find(await temporaryFolder()), GitError);
  });

  for (const command of ['merge', 'rebase', 'cherry-pick', 'revert'] as const) {
    it(`is ${command} until aborted, even after its conflicts are resolved`, async () => {
      await diverge();
      await commit(root, 'Mine once more\n');
      await git(root, command, command === 'revert' ? 'HEAD~1' : 'other').catch(() => undefined);
      strictEqual(await find(), command);
      await git(root, 'add', '--all');
      strictEqual(await find(), command);
      await git(root, command, '--abort');
      strictEqual(await find(), undefined);
    });
  }

  it('is bisect until it is reset', async () => {
    await git(root, 'bisect', 'start');
    strictEqual(await find(), 'bisect');
    await git(root, 'bisect', 'reset');
    strictEqual(await find(), undefined);
  });

  it('distinguishes applying patches from a rebase', async () => {
    await mkdir(join(root, '.git/rebase-apply'));
    strictEqual(await find(), 'rebase');
    await writeFile(join(root, '.git/rebase-apply/applying'), '');
    strictEqual(await find(), 'am');
  });

  it('belongs to its linked work tree only', async () => {
    const linked = join(await temporaryFolder(), 'linked');
    await git(root, 'worktree', 'add', '--quiet', '--detach', linked);
    await diverge(linked);
    await git(linked, 'merge', 'other').catch(() => undefined);
    deepStrictEqual([await find(linked), await find()], ['merge', undefined]);
  });
});

describe('submodules that another commit replaces with a file', () => {
  /** Adds the submodule `lib/sub`, and returns what another branch then makes of it. */
  async function replacedBy(script: string): Promise<string[]> {
    const root = await sampleRepository();
    const all = `set -e; git init -q .git/other; (cd .git/other; echo 1 >page.md; git add .; git commit -qm 1);
      git -c protocol.file.allow=always submodule --quiet add ./.git/other lib/sub; git commit -qm Submodule;
      git switch -qc job; ${script}; git add -A .; git commit -qm Job; git switch -q main`;
    await git(root, '-c', `alias.x=!${all.replaceAll(/\n\s*/g, ' ')}`, 'x');
    return findReplacedSubmodules(runner, { folder: root }, 'main', 'job');
  }

  const REMOVE = 'git rm -q lib/sub';
  const cases: [what: string, script: string, replaced: string[]][] = [
    ['a file at its path', `${REMOVE}; mkdir -p lib; echo 1 >lib/sub`, ['lib/sub']],
    ['a link at its path', `${REMOVE}; mkdir -p lib; ln -s .. lib/sub`, ['lib/sub']],
    ['a file in place of its folder', `${REMOVE}; rm -rf lib; echo 1 >lib`, ['lib/sub']],
    ['a file that on some disks has its path', `${REMOVE}; rm -rf lib; echo 1 >LIB`, ['lib/sub']],
    ['nothing', REMOVE, []],
    ['a folder of files, for which git looks itself', `${REMOVE}; mkdir -p lib/sub; echo 1 >lib/sub/own.md`, []],
    ['another commit of it', '(cd lib/sub; git commit -qm 2 --allow-empty)', []],
    ['a file beside it', 'echo 1 >lib/su; echo 1 >lib/sub.md', []],
  ];
  for (const [what, script, replaced] of cases) {
    it(`${replaced.length === 0 ? 'are not those that become' : 'are those that become'} ${what}`, async () => {
      deepStrictEqual(await replacedBy(script), replaced);
    });
  }
});
