import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MergeRefusal } from '../../../../src/local-service/review/mergeTarget';
import { BRANCH, createMergeFixture, type MergeFixture, wholeState } from '../../../support/mergeFixture';
import { notOnWindows } from '../../../support/notOnWindows';
import { git } from '../../../support/temporaryRepository';

const EDIT = 'echo more >> docs/index.md';
const MINE = 'echo mine > mine.md; git add .; git commit --quiet -m Mine';

/** Every kind of change, made by the job in one commit. */
const CHANGES = `${EDIT}; mkdir -p a/b/c; echo x > a/b/c/d.md; git mv docs/getting-started.md docs/start.md
git rm --quiet README.md; mkdir README.md; echo x > README.md/x; chmod +x src/retry.ts; ln -s ../src docs/link`;

interface Refused {
  name: string;
  work?: string;
  /** Scripts that the user runs before the job starts and after the merge. */
  before?: string;
  after: string;
  says: RegExp;
}

const refused: readonly Refused[] = [
  { name: 'there are later commits', after: MINE, says: /^“main” has later commits\. .* revert commit [0-9a-f]{7} / },
  {
    name: 'the commit was amended',
    after: 'echo mine >> docs/index.md; git commit --quiet --all --amend --no-edit',
    says: /^Commit [0-9a-f]{7} on “main” was changed after the merge/,
  },
  {
    name: 'the merge was pushed',
    after: 'git clone --quiet --bare . ../remote; git remote add origin ../remote; git push --quiet origin main',
    says: /^“main” was pushed after the merge\. .* revert commit/,
  },
  {
    name: 'a merged file has uncommitted changes',
    after: 'echo mine >> docs/index.md',
    says: /^You have uncommitted changes in “docs\/index\.md”, which undoing the merge/,
  },
  {
    name: 'a merged file has staged changes',
    after: 'echo mine >> docs/index.md; git add .',
    says: /^You have uncommitted changes in “docs\/index\.md”/,
  },
  {
    name: 'an untracked file is where a deleted one was',
    work: 'git rm --quiet README.md',
    after: 'echo mine > README.md',
    says: /^Untracked files would be overwritten: “README\.md”/,
  },
  {
    name: 'an ignored file is in a folder that a file was replaced by',
    before: "echo '*.log' > .gitignore; git add .; git commit --quiet -m Ignore",
    work: 'git rm --quiet README.md; mkdir README.md; echo x > README.md/x',
    after: 'echo mine > README.md/mine.log',
    says: /^The merge can’t be undone here: /,
  },
  {
    name: 'the branch is checked out in another work tree',
    after: 'git checkout --quiet -b other HEAD~1; git worktree add --quiet ../linked main',
    says: /^Branch “main” is checked out in “.*linked”\. .*revert its commit there with Git/,
  },
  {
    name: 'a rebase is in progress',
    after: 'mkdir .git/rebase-merge',
    says: /A rebase is in progress/,
  },
  {
    name: 'the work is gone from the repository',
    after: `git reset --quiet --hard HEAD~1; git update-ref -d refs/docs-agent/merged/j1
git reflog expire --expire=now --all; git prune --expire=now`,
    says: /no longer in your repository/,
  },
];

describe('undoing the merge of a job’s work', function () {
  const commitOf = async ({ repo }: MergeFixture, name: string): Promise<string> =>
    (await git(repo, 'rev-parse', name)).trim();

  it('goes back to exactly what was before, with every kind of change, so that the work can be merged again', async () => {
    for (const between of ['true', MINE]) {
      const bench = await createMergeFixture();
      await bench.shell("echo '*.log' > .gitignore; echo a > a.md; git add .; git commit --quiet -m More");
      const commit = await bench.work(CHANGES);
      await bench.shell(`${between}; git gc --quiet`);
      const head = await commitOf(bench, 'main');
      await bench.mergeAndDelete();
      await assert.rejects(git(bench.repo, 'rev-parse', '--verify', '--quiet', `refs/heads/${BRANCH}`));
      await bench.shell('echo own >> a.md; echo staged > s.md; git add s.md; echo u > u.md; echo l > l.log');
      const status = () => git(bench.repo, 'status', '--porcelain=v1', '--ignored');
      const own = await status();
      assert.equal(await bench.undo(), 'main');
      assert.deepEqual([await commitOf(bench, 'main'), await commitOf(bench, BRANCH)], [head, commit]);
      assert.equal(await status(), own);
      assert.match(await git(bench.repo, 'reflog', '-1', 'main'), /undo merge docs-agent\/j1/);
      assert.equal(await bench.undo(), undefined, 'a repeated request changes nothing');
      assert.equal(await commitOf(bench, 'main'), head);
      assert.deepEqual(await bench.merge(), { kind: 'merged', branch: 'main' });
      assert.equal(await status(), own);
    }
  });

  it('undoes only the last merge of a job with a follow-up', async () => {
    const bench = await createMergeFixture();
    await bench.work('echo one >> docs/index.md');
    await bench.shell(MINE);
    await bench.merge();
    const first = await commitOf(bench, 'main');
    const commit = await bench.more('sed -i s/one/two/ docs/index.md');
    await bench.mergeAndDelete();
    assert.equal(await bench.undo(), 'main');
    assert.deepEqual([await commitOf(bench, 'main'), await commitOf(bench, BRANCH)], [first, commit]);
  });

  it('moves a branch that is not checked out without touching files', async () => {
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    const head = await commitOf(bench, 'main');
    await bench.mergeAndDelete();
    await bench.shell('git checkout --quiet -b other HEAD~1; echo mine >> docs/index.md');
    assert.equal(await bench.undo(), 'main');
    assert.deepEqual([await commitOf(bench, 'main'), await commitOf(bench, 'other')], [head, head]);
    assert.equal(await git(bench.repo, 'status', '--porcelain'), ' M docs/index.md\n');
  });

  it('moves the branch that the work was merged into, not one that was created from it', async () => {
    const bench = await createMergeFixture();
    await bench.shell('git checkout --quiet -b mine');
    await bench.work(EDIT);
    const head = await commitOf(bench, 'mine');
    await bench.mergeAndDelete();
    const merged = await commitOf(bench, 'mine');
    await bench.shell('git checkout --quiet -b later; git branch backup');
    assert.equal(await bench.undo(), 'mine');
    assert.deepEqual(
      [await commitOf(bench, 'mine'), await commitOf(bench, 'later'), await commitOf(bench, 'backup')],
      [head, merged, merged],
    );
  });

  it('only restores the branch if the user has undone the merge with git, and keeps one that exists', async () => {
    for (const undo of [
      'git reset --quiet --soft HEAD~1',
      'git reset --quiet --hard HEAD~1; git branch docs-agent/j1',
    ]) {
      const bench = await createMergeFixture();
      const commit = await bench.work(EDIT);
      await bench.mergeAndDelete();
      await bench.shell(undo);
      const [head, status] = [await commitOf(bench, 'main'), await git(bench.repo, 'status', '--porcelain')];
      assert.equal(await bench.undo(), undefined);
      assert.deepEqual([await commitOf(bench, 'main'), await git(bench.repo, 'status', '--porcelain')], [head, status]);
      assert.equal(await commitOf(bench, BRANCH), undo.includes('branch') ? head : commit);
    }
  });

  it('runs no hook and no filter', async function () {
    notOnWindows();
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    await bench.mergeAndDelete();
    await bench.shell(`for hook in post-merge post-checkout reference-transaction pre-commit post-index-change; do
printf '#!/bin/sh\\ntouch ran' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
git config core.fsmonitor 'touch ran'`);
    assert.equal(await bench.undo(), 'main');
    await assert.rejects(stat(join(bench.repo, 'ran')), /ENOENT/);
  });

  for (const { name, work = EDIT, before, after, says } of refused) {
    it(`is refused and changes nothing when ${name}`, async () => {
      const bench = await createMergeFixture();
      await bench.shell(before ?? 'true');
      await bench.work(work);
      await bench.mergeAndDelete();
      await bench.shell(after);
      const state = await wholeState(bench.repo);
      await assert.rejects(bench.undo(), (error) => {
        assert.ok(error instanceof MergeRefusal, String(error));
        assert.match(error.message, says);
        return true;
      });
      const now = await wholeState(bench.repo);
      // The restored branch does no harm.
      const changed = Object.keys({ ...state, ...now }).filter((path) => state[path] !== now[path]);
      assert.deepEqual(
        changed.filter((path) => !path.includes('docs-agent')),
        [],
      );
    });
  }

  it('never overwrites a file that is saved in the meantime', async function () {
    notOnWindows();
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    await bench.mergeAndDelete();
    const merged = await commitOf(bench, 'main');
    const saved = join(bench.repo, 'docs/index.md');
    const program = join(bench.folder, 'gitAfter');
    const save = `case " $* " in *" merge --ff-only "*) printf 'typed just now' > '${saved}';; esac`;
    await writeFile(program, `#!/bin/sh\n${save}\nexec git "$@"\n`, { mode: 0o755 });
    await assert.rejects(bench.undo(bench.repo, program), MergeRefusal);
    assert.equal(await readFile(saved, 'utf8'), 'typed just now');
    assert.equal(await commitOf(bench, 'main'), merged);
  });

  it('says when the user switched to another branch in the middle, and so does a merge', async function () {
    notOnWindows();
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    const head = await commitOf(bench, 'main');
    const program = join(bench.folder, 'switchingGit');
    const switching = `case " $* " in *" merge --ff-only "*) git -C '${bench.repo}' checkout --quiet -B other;; esac`;
    await writeFile(program, `#!/bin/sh\n${switching}\nexec git "$@"\n`, { mode: 0o755 });
    const says = /so “other” was changed instead of “main”\. To undo this, run “git reset --keep ORIG_HEAD” on “other”/;
    await assert.rejects(bench.merge(bench.repo, program), says);
    await bench.shell('git reset --quiet --keep ORIG_HEAD; git checkout --quiet main');
    assert.deepEqual([await commitOf(bench, 'main'), await commitOf(bench, 'other')], [head, head]);

    await bench.mergeAndDelete();
    const merged = await commitOf(bench, 'main');
    await assert.rejects(bench.undo(bench.repo, program), says);
    await bench.shell('git reset --quiet --keep ORIG_HEAD; git checkout --quiet main; git branch -D other');
    assert.equal(await commitOf(bench, 'main'), merged);
    assert.equal(await bench.undo(), 'main');
    assert.equal(await commitOf(bench, 'main'), head);
  });
});
