import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MergeRefusal } from '../../../../src/local-service/review/mergeTarget';
import { createMergeFixture, type MergeFixture, wholeState } from '../../../support/mergeFixture';
import { git } from '../../../support/temporaryRepository';

/** Leaves only `src` checked out, and writes a file outside of it. */
const SPARSE = `git config sparse.expectFilesOutsideOfPatterns true
git sparse-checkout set --no-cone /src/; mkdir -p docs; echo mine > docs/index.md`;
const NESTED = `cd docs; git init --quiet; git config user.name x; git config user.email x@example.org
git add .; git commit --quiet -m Mine`;
const FOLDER_TO_FILE = 'git rm --quiet -r docs; echo x > docs';

describe('what merging and its undo would overwrite without asking', () => {
  async function assertUntouched({ repo }: MergeFixture, act: () => Promise<unknown>, says: RegExp): Promise<void> {
    const state = await wholeState(repo);
    await assert.rejects(act, (error) => error instanceof MergeRefusal && says.test(error.message));
    assert.deepEqual(await wholeState(repo), state);
  }

  it('is a changed file outside of a sparse checkout', async () => {
    const bench = await createMergeFixture();
    await bench.work('git rm --quiet docs/index.md');
    await bench.shell(SPARSE);
    await assertUntouched(bench, () => bench.merge(), /uncommitted changes in “docs\/index\.md”/);
  });

  it('is such a file that an undo would remove', async () => {
    const bench = await createMergeFixture();
    await bench.work('echo x > docs/new.md');
    await bench.merge();
    await bench.shell(SPARSE.replace('index', 'new'));
    await assertUntouched(bench, () => bench.undo(), /uncommitted changes in “docs\/new\.md”/);
  });

  it('is a repository in a folder that becomes a file', async () => {
    const bench = await createMergeFixture();
    await bench.work(FOLDER_TO_FILE);
    await bench.shell(NESTED);
    await assertUntouched(bench, () => bench.merge(), /Untracked files would be overwritten: “docs”/);
  });

  it('is a repository in a folder that an undo turns into a file', async () => {
    const bench = await createMergeFixture();
    await bench.work('git rm --quiet README.md; mkdir README.md; echo x > README.md/x');
    await bench.merge();
    await bench.shell(NESTED.replace('docs', 'README.md'));
    await assertUntouched(bench, () => bench.undo(), /Untracked files would be overwritten: “README\.md”/);
  });

  describe('is a file that the user’s own attributes have a filter for', () => {
    const configHome = process.env['XDG_CONFIG_HOME'];
    afterEach(() => {
      delete process.env['XDG_CONFIG_HOME'];
      Object.assign(process.env, configHome === undefined ? {} : { XDG_CONFIG_HOME: configHome });
    });

    async function assertFiltered(bench: MergeFixture): Promise<void> {
      const folder = join(bench.folder, 'config');
      await mkdir(join(folder, 'git'), { recursive: true });
      await writeFile(join(folder, 'git/attributes'), '*.secret filter=crypt\n');
      process.env['XDG_CONFIG_HOME'] = folder;
      await assertUntouched(bench, () => bench.merge(), /A filter such as Git LFS manages “a\.secret”/);
    }

    it('when the repository has no attributes', async () => {
      const bench = await createMergeFixture();
      await bench.work('echo x > a.secret');
      await assertFiltered(bench);
    });

    it('when the work removes the repository’s exception', async () => {
      const bench = await createMergeFixture();
      await bench.shell("echo '*.secret -filter' > .gitattributes; git add .; git commit --quiet -m Exception");
      await bench.work('git rm --quiet .gitattributes; echo x > a.secret');
      await assertFiltered(bench);
    });
  });

  it('is not the user’s work if the repository rewrites history by a graft', async () => {
    const bench = await createMergeFixture();
    const commit = await bench.work('echo more >> README.md');
    await bench.shell('echo mine > mine.md; git add .; git commit --quiet -m Mine');
    const head = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
    await mkdir(join(bench.repo, '.git/info'), { recursive: true });
    await writeFile(join(bench.repo, '.git/info/grafts'), `${commit} ${head}\n`);
    await bench.merge();
    assert.equal(await git(bench.repo, 'show', 'HEAD:mine.md'), 'mine\n');
  });
});
