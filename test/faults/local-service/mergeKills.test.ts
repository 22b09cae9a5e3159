import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMergeFixture, type MergeFixture } from '../../support/mergeFixture';
import { notOnWindows } from '../../support/machine';
import { report } from '../../support/scale';
import { git } from '../../support/temporaryRepository';

/** Every kind of change, and enough files that writing them takes a while. */
const WORK = `for i in $(seq 300); do seq 200 > docs/$i.md; done
echo more >> docs/index.md; git rm --quiet src/retry.ts; mkdir -p a/b; echo x > a/b/c; chmod +x README.md`;

/** What a user would type to recover from a half-done change to a commit. It names no file outside the work. */
const recovery = (to: string): string => `find .git -name "*.lock" -delete
git diff --name-only --no-renames -z HEAD ${to} | git reset --quiet --pathspec-from-file=- --pathspec-file-nul
git diff --name-only --no-renames --diff-filter=a -z HEAD ${to} | git restore --pathspec-from-file=- --pathspec-file-nul
git diff --name-only --no-renames --diff-filter=A -z HEAD ${to} | xargs -0 git clean -fdq --`;

/** A git that dies at one command and runs nothing after it. */
const crashingGit = (folder: string, command: string, moment: string): string => `#!/bin/sh
[ -e '${folder}/dead' ] && exit 1
case " $* " in
  *" ${command} "*) touch '${folder}/dead'; ${moment};;
esac
exec git "$@"
`;

const MERGE = 'merge --ff-only';
const UNDO = 'switch --no-overwrite-ignore';
/** When git dies: the command, the moment as a script, and the name of the moment. */
const moments: readonly (readonly [command: typeof MERGE | typeof UNDO, script: string, name: string])[] = [
  [MERGE, 'exit 1', 'before files are written'],
  [
    MERGE,
    'git "$@" & child=$!; until [ -e docs/120.md ]; do :; done; kill -9 $child; wait $child; exit 1',
    'while files are written',
  ],
  // Git moves the branch last, so a kill right before that leaves the whole work staged.
  [MERGE, 'git read-tree -m -u HEAD docs-agent/j1; exit 1', 'before the branch is moved'],
  [MERGE, 'git "$@"; exit 1', 'after the branch was moved'],
  [UNDO, 'exit 1', 'before files are written'],
  [
    UNDO,
    'git "$@" & child=$!; while [ -e docs/120.md ]; do :; done; kill -9 $child; wait $child; exit 1',
    'while files are deleted',
  ],
  [UNDO, 'git read-tree -m -u HEAD HEAD~1; exit 1', 'before the branch is moved'],
  [UNDO, 'git "$@"; exit 1', 'after the branch was moved'],
];

describe('killing git in a merge or its undo', function () {
  notOnWindows();
  let halfWritten = 0;
  after(() => {
    assert.ok(halfWritten > 0, 'no kill hit git while it wrote files');
    const what = `${moments.length} kills in merges and their undo, ${halfWritten} of them with files half written`;
    report({ promise: 'S14', what, figure: '0 uncommitted changes lost, 0 left that git can’t undo' });
  });

  for (const [command, script, name] of moments) {
    it(`leaves the branch as it was or as it should be, recoverable with git: ${command}, ${name}`, async () => {
      const bench = await createMergeFixture();
      await bench.shell('echo own > own.md; git add .; git commit --quiet -m Own');
      await bench.work(WORK);
      if (command === UNDO) {
        await bench.merge();
      }
      await bench.shell('echo unsaved >> own.md; echo new > untracked.md');
      const own = () => Promise.all(['own.md', 'untracked.md'].map((each) => readFile(join(bench.repo, each), 'utf8')));
      const [head, before, shown] = [await bench.commit('HEAD'), await own(), await bench.preview()];
      const program = join(bench.folder, 'mortalGit');
      await writeFile(program, crashingGit(bench.folder, command, script), { mode: 0o755 });
      const act = (fixture: MergeFixture, killed?: string): Promise<unknown> =>
        command === UNDO ? fixture.undo(fixture.repo, killed) : fixture.merge(fixture.repo, killed, shown);
      await act(bench, program).catch(() => undefined);
      assert.deepEqual(await own(), before);
      if ((await bench.commit('HEAD')) === head) {
        const status = (): Promise<string> => git(bench.repo, 'status', '--porcelain');
        const clean = ' M own.md\n?? untracked.md\n';
        halfWritten += (await status()) === clean ? 0 : 1;
        await bench.shell(recovery(command === UNDO ? 'HEAD~1' : 'docs-agent/j1'));
        assert.equal(await status(), clean);
        await act(bench);
      }
      assert.notEqual(await bench.commit('HEAD'), head);
      assert.equal(await git(bench.repo, 'status', '--porcelain'), ' M own.md\n?? untracked.md\n');
      assert.deepEqual(await own(), before);
      const after = await bench.commit('HEAD');
      await act(bench);
      assert.equal(await bench.commit('HEAD'), after, 'a repeated request changes nothing');
      assert.equal(await git(bench.repo, 'fsck', '--no-dangling'), '');
    });
  }
});
