import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MergeRefusal } from '../../../../src/local-service/review/mergeTarget';
import { createMergeFixture, type MergeFixture, wholeState } from '../../../support/mergeFixture';
import { notOnWindows } from '../../../support/notOnWindows';
import { git } from '../../../support/temporaryRepository';

const EDIT = 'echo more >> docs/index.md';
const MINE = 'echo mine > mine.md; git add .; git commit --quiet -m Mine';

/** Every kind of change, made by the job in one commit. */
const CHANGES = `${EDIT}; mkdir -p a/b/c; echo x > a/b/c/d.md; git mv docs/getting-started.md docs/start.md
git rm --quiet README.md; mkdir README.md; echo x > README.md/x; chmod +x src/retry.ts; ln -s ../src docs/link
head -c 70000 /dev/urandom > a.bin; : > empty.md`;

describe('merging a job’s work after it was applied to the files', function () {
  async function refusedUnchanged(bench: MergeFixture, says: RegExp): Promise<void> {
    const state = await wholeState(bench.repo);
    await assert.rejects(bench.merge(), (error) => {
      assert.ok(error instanceof MergeRefusal, String(error));
      assert.match(error.message, says);
      return true;
    });
    assert.deepEqual(await wholeState(bench.repo), state);
  }

  /** What “Apply to My Files” does. */
  const APPLY = 'git diff --binary main...docs-agent/j1 > ../patch; git apply ../patch';

  for (const [where, between] of [
    ['to an unchanged branch', 'true'],
    ['to a branch that has moved on', MINE],
  ] as const) {
    it(`accepts them as they are, and keeps other changes: ${where}`, async () => {
      const bench = await createMergeFixture();
      await bench.work(CHANGES);
      await bench.shell(`${between}; ${APPLY}; git add src/retry.ts a/b/c/d.md; echo own > own.md`);
      assert.equal((await bench.outlook()).blocked, undefined);
      assert.deepEqual(await bench.merge(), { kind: 'merged', branch: 'main' });
      assert.equal(await git(bench.repo, 'status', '--porcelain=v1'), '?? own.md\n');
    });
  }

  it('is refused in the preview as well if one of the files was edited, and leaves the index as it was', async () => {
    const bench = await createMergeFixture();
    await bench.work(CHANGES);
    await bench.shell(`${APPLY}; echo mine >> docs/index.md; git add docs/start.md`);
    const says = /^You have uncommitted changes in “docs\/index\.md”, which this merge also changes/;
    const shown = await bench.outlook();
    assert.match(shown.words, says);
    assert.deepEqual([shown.blocked, shown.into], [true, 'main']);
    await refusedUnchanged(bench, says);
  });

  it('leaves the index as it was when git refuses', async function () {
    notOnWindows();
    const bench = await createMergeFixture();
    await bench.work(CHANGES);
    await bench.shell(`${APPLY}; git add docs/start.md`);
    const program = join(bench.folder, 'gitAfter');
    await writeFile(program, '#!/bin/sh\ncase " $* " in *" merge --ff-only "*) exit 1;; esac\nexec git "$@"\n', {
      mode: 0o755,
    });
    const status = await git(bench.repo, 'status', '--porcelain=v1');
    await assert.rejects(bench.merge(bench.repo, program), MergeRefusal);
    assert.equal(await git(bench.repo, 'status', '--porcelain=v1'), status);
  });

  for (const [name, after] of [
    [
      'was staged in another state',
      'echo x >> docs/index.md; git add .; git show docs-agent/j1:docs/index.md > docs/index.md',
    ],
    ['has another mode', 'git show docs-agent/j1:docs/index.md > docs/index.md; chmod +x docs/index.md'],
  ] as const) {
    it(`is refused when a file that already has the job’s content ${name}`, async () => {
      const bench = await createMergeFixture();
      await bench.work(EDIT);
      await bench.shell(after);
      await refusedUnchanged(bench, /uncommitted changes in “docs\/index\.md”/);
    });
  }

  it('treats a file whose name is not UTF-8 like any other', async function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
    const name = "$(printf 'docs/caf\\351.md')";
    const refused = async ({ repo }: MergeFixture, work: () => Promise<unknown>) => {
      const index = await git(repo, 'ls-files', '--stage');
      await assert.rejects(work(), /You have uncommitted changes in “docs\/caf\uFFFD\.md”/);
      assert.equal(await git(repo, 'ls-files', '--stage'), index);
    };
    const removed = await createMergeFixture();
    await removed.shell(`echo text > ${name}; git add .; git commit --quiet -m Name`);
    await removed.work(`git rm --quiet ${name}`);
    await removed.shell(`echo mine >> ${name}`);
    await refused(removed, () => removed.merge());

    const added = await createMergeFixture();
    await added.work(`echo text > ${name}`);
    await added.shell(APPLY);
    await added.mergeAndDelete();
    assert.equal(await git(added.repo, 'status', '--porcelain=v1'), '');
    await added.shell(`echo mine >> ${name}`);
    await refused(added, () => added.undo());
  });
});
