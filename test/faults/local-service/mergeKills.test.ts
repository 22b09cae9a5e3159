import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMergeFixture, type MergeFixture } from '../../support/mergeFixture';
import { notOnWindows } from '../../support/notOnWindows';
import { report } from '../../support/scale';
import { git } from '../../support/temporaryRepository';

/** Every kind of change, and enough files that writing them takes a while. */
const WORK = `for i in $(seq 300); do seq 200 > docs/$i.md; done
echo more >> docs/index.md; git rm --quiet src/retry.ts; mkdir -p a/b; echo x > a/b/c; chmod +x README.md`;

/** Git leaves the lock of the index or, killed at its end, of the branch. */
const UNLOCK = 'find .git -name "*.lock" -delete';

/** What a user would type to recover. It names no file outside the merged work. */
const RECOVERY = `${UNLOCK}
git diff --name-only --no-renames -z HEAD docs-agent/j1 | git reset --quiet --pathspec-from-file=- --pathspec-file-nul
git diff --name-only --no-renames --diff-filter=a -z HEAD docs-agent/j1 | git restore --pathspec-from-file=- --pathspec-file-nul
git diff --name-only --no-renames --diff-filter=A -z HEAD docs-agent/j1 | xargs -0 git clean -fdq --`;

/** The same for an undo, which has not moved the branch yet. */
const undoRecovery = (
  before: string,
): string => `git diff --name-only --no-renames -z ${before} HEAD | git reset --quiet --pathspec-from-file=- --pathspec-file-nul
git diff --name-only --no-renames --diff-filter=d -z ${before} HEAD | git restore --pathspec-from-file=- --pathspec-file-nul
git diff --name-only --no-renames --diff-filter=D -z ${before} HEAD | xargs -0 git clean -fdq --`;

/** A git that dies at one command and runs nothing after it. */
const crashingGit = (folder: string, command: string, moment: string): string => `#!/bin/sh
[ -e '${folder}/dead' ] && exit 1
case " $* " in
  *" ${command} "*) touch '${folder}/dead'; ${moment};;
esac
exec git "$@"
`;

const moments: readonly (readonly [name: string, command: string, moment: string])[] = [
  ['before files are written', 'merge --ff-only', 'exit 1'],
  [
    'while git merge writes files',
    'merge --ff-only',
    'git "$@" & child=$!; until [ -e docs/120.md ]; do :; done; kill -9 $child; wait $child; exit 1',
  ],
  // Git moves the branch last, so a kill right before that leaves the whole work staged.
  ['before git merge moves the branch', 'merge --ff-only', 'git read-tree -m -u HEAD docs-agent/j1; exit 1'],
  ['after git merge has ended', 'merge --ff-only', 'git "$@"; exit 1'],
];

describe('killing a merge', function () {
  notOnWindows();
  let halfWritten = 0;
  after(() => {
    assert.ok(halfWritten > 0, 'no kill hit git while it wrote files');
    const what = `${moments.length * 2} kills in merges, ${halfWritten} of them with files half written`;
    report({ promise: 'S14', what, figure: '0 uncommitted changes lost, 0 left that git can’t undo' });
  });

  const headOf = async ({ repo }: MergeFixture): Promise<string> => (await git(repo, 'rev-parse', 'HEAD')).trim();

  for (const kind of ['unchanged branch', 'branch that has moved on'] as const) {
    for (const [name, command, moment] of moments) {
      it(`leaves the branch as it was before or after the merge, recoverable with git: ${kind}, ${name}`, async () => {
        const bench = await createMergeFixture();
        await bench.shell('echo own > own.md; git add .; git commit --quiet -m Own');
        await bench.work(WORK);
        await bench.shell(kind === 'branch that has moved on' ? 'git commit --quiet --allow-empty -m Mine' : 'true');
        await bench.shell('echo unsaved >> own.md; echo new > untracked.md');
        const own = () =>
          Promise.all(['own.md', 'untracked.md'].map((each) => readFile(join(bench.repo, each), 'utf8')));
        const [head, before, shown] = [await headOf(bench), await own(), await bench.outlook()];
        const program = join(bench.folder, 'mortalGit');
        await writeFile(program, crashingGit(bench.folder, command, moment), { mode: 0o755 });
        await bench.merge(bench.repo, program, shown).catch(() => undefined);
        assert.deepEqual(await own(), before);
        if ((await headOf(bench)) === head) {
          const status = (): Promise<string> => git(bench.repo, 'status', '--porcelain');
          const clean = ' M own.md\n?? untracked.md\n';
          halfWritten += (await status()) === clean ? 0 : 1;
          await bench.shell(RECOVERY);
          assert.equal(await status(), clean);
          await bench.merge();
        }
        assert.notEqual(await headOf(bench), head);
        assert.deepEqual(await own(), before);
        assert.deepEqual((await bench.merge()).kind, 'already');
        assert.equal(await git(bench.repo, 'fsck', '--no-dangling'), '');
      });
    }
  }
});

const undoMoments: typeof moments = [
  ['before files are written', 'merge --ff-only', 'exit 1'],
  [
    'while git merge writes files',
    'merge --ff-only',
    'git "$@" & child=$!; while [ -e docs/120.md ]; do :; done; kill -9 $child; wait $child; exit 1',
  ],
  [
    'while git merge writes the last file, which the merge had deleted',
    'merge --ff-only',
    'git read-tree -m -u HEAD HEAD~1; git read-tree HEAD; : > src/retry.ts; exit 1',
  ],
  ['before git merge moves the branch', 'merge --ff-only', 'git read-tree -m -u HEAD HEAD~1; exit 1'],
  ['before the branch is moved back', 'merge --ff-only', 'git "$@"; exit 1'],
  ['after the branch was moved back', 'update-ref -m', 'git "$@"; exit 1'],
];

describe('killing the undo of a merge', function () {
  notOnWindows();

  for (const [name, command, moment] of undoMoments) {
    it(`leaves a merge that can be undone again, and no commit: ${name}`, async () => {
      const bench = await createMergeFixture();
      await bench.shell('echo own > own.md; git add .; git commit --quiet -m Own');
      const commit = await bench.work(WORK);
      const before = await git(bench.repo, 'rev-parse', 'main');
      await bench.mergeAndDelete();
      await bench.shell('git branch later; echo unsaved >> own.md; echo new > untracked.md');
      const merged = await git(bench.repo, 'rev-parse', 'later');
      const program = join(bench.folder, 'mortalGit');
      await writeFile(program, crashingGit(bench.folder, command, moment), { mode: 0o755 });
      await bench.undo(bench.repo, program).catch(() => undefined);
      await bench.shell(UNLOCK);
      await bench.undo().catch(async (error: unknown) => {
        // A half-written file counts as changed by the user, or as untracked if the merge had deleted it.
        assert.match(String(error), /uncommitted changes in|Untracked files would be overwritten: “src\/retry\.ts”/);
        await bench.shell(undoRecovery(before.trim()));
        await bench.undo();
      });
      assert.equal(await git(bench.repo, 'rev-parse', 'main'), before);
      assert.equal(await git(bench.repo, 'status', '--porcelain'), ' M own.md\n?? untracked.md\n');
      assert.equal(await git(bench.repo, 'rev-parse', 'later'), merged, 'another branch was moved');
      assert.equal((await git(bench.repo, 'rev-parse', 'docs-agent/j1')).trim(), commit);
      assert.deepEqual(await bench.merge(), { kind: 'merged', branch: 'main' });
    });
  }
});
