import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHANGED, type FileChange, replaceFiles, ReplaceError, stateOf } from '../../../src/git/replaceFiles';
import { wholeState } from '../../support/mergeFixture';
import { notOnWindows } from '../../support/notOnWindows';
import { temporaryFolder } from '../../support/temporaryRepository';

describe('replacing files of a work tree', () => {
  notOnWindows();
  let [root, results, copies] = ['', '', ''];
  beforeEach(async () => {
    const folder = await temporaryFolder();
    [root, results, copies] = [join(folder, 'root'), join(folder, 'results'), join(folder, 'copies')];
    await mkdir(join(root, 'docs'), { recursive: true });
    await mkdir(results);
    await writeFile(join(root, 'docs/old.md'), 'old\n');
    await writeFile(join(root, 'changed.sh'), 'before\n');
    await chmod(join(root, 'changed.sh'), 0o755);
    await symlink('changed.sh', join(root, 'link'));
    await writeFile(join(results, 'new'), 'after\n');
  });

  const change = async (path: string, result?: string): Promise<FileChange> => ({
    path,
    before: await stateOf(join(root, path)),
    result: result && join(results, result),
  });

  const all = async (): Promise<FileChange[]> => [
    await change('docs/old.md'),
    await change('changed.sh', 'new'),
    await change('link', 'new'),
    await change('new/new.md', 'new'),
  ];

  it('writes, adds, and removes files, and leaves no others behind', async () => {
    await replaceFiles(root, await all(), copies);
    deepStrictEqual(Object.keys(await wholeState(root)).toSorted(), ['changed.sh', 'link', 'new', 'new/new.md']);
    for (const path of ['changed.sh', 'link', 'new/new.md']) {
      strictEqual(await readFile(join(root, path), 'utf8'), 'after\n');
    }
  });

  it('restores all files if one can’t be written', async () => {
    const [before, changes] = [await wholeState(root), await all()];
    changes.push({ path: 'x/last.md', before: 'absent', result: join(results, 'missing') });
    await rejects(replaceFiles(root, changes, copies), (error) => {
      ok(error instanceof ReplaceError);
      deepStrictEqual([error.path, error.notRestored], ['x/last.md', []]);
      return true;
    });
    deepStrictEqual(await wholeState(root), before);
  });

  for (const path of ['docs/old.md', 'docs/new.md', 'docs/new/new.md']) {
    it(`doesn’t write through a folder that has become a link in the meantime: ${path}`, async () => {
      const outside = join(root, '../outside');
      const changes = [await change(path, 'new')];
      function* meanwhile(): Generator<FileChange> {
        renameSync(join(root, 'docs'), outside);
        symlinkSync(outside, join(root, 'docs'));
        yield* changes;
      }
      await rejects(replaceFiles(root, meanwhile(), copies), { name: 'ReplaceError', code: CHANGED });
      deepStrictEqual(Object.keys(await wholeState(outside)), ['old.md']);
      strictEqual(await readFile(join(outside, 'old.md'), 'utf8'), 'old\n');
    });
  }

  it('restores the files that it can, and says which it can’t', async () => {
    const [before, changes] = [await wholeState(root), await all()];
    function* meanwhile(): Generator<FileChange> {
      yield* changes;
      writeFileSync(join(root, 'changed.sh'), 'mine\n');
      writeFileSync(join(root, 'new/new.md'), 'mine\n');
      yield { path: 'last.md', before: 'absent', result: join(results, 'missing') };
    }
    await rejects(replaceFiles(root, meanwhile(), copies), (error) => {
      ok(error instanceof ReplaceError);
      deepStrictEqual([error.notRestored, error.copies], [['new/new.md', 'changed.sh'], copies]);
      return true;
    });
    const after = await wholeState(root);
    deepStrictEqual([after['docs/old.md'], after['link']], [before['docs/old.md'], before['link']]);
    strictEqual(await readFile(join(copies, 'changed.sh'), 'utf8'), 'before\n');
    for (const path of ['changed.sh', 'new/new.md']) {
      strictEqual(await readFile(join(root, path), 'utf8'), 'mine\n');
    }
  });
});
