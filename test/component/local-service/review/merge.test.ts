import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MergeRefusal } from '../../../../src/local-service/review/mergeTarget';
import { JOB, createMergeFixture, type MergeFixture, wholeState } from '../../../support/mergeFixture';
import { notOnWindows } from '../../../support/notOnWindows';
import { git } from '../../../support/temporaryRepository';

const EDIT = 'echo more >> docs/index.md';
const MINE = 'echo mine > mine.md; git add .; git commit --quiet -m Mine';

/** Every kind of change, made by the job in one commit. */
const CHANGES = `${EDIT}; mkdir -p a/b/c; echo x > a/b/c/d.md; git mv docs/getting-started.md docs/start.md
git rm --quiet README.md; mkdir README.md; echo x > README.md/x; chmod +x src/retry.ts; ln -s ../src docs/link
head -c 70000 /dev/urandom > a.bin; : > empty.md
for name in ' a' '"b"' '*' ':(top)c' 'é' '!h'; do echo x > "./$name"; done`;

interface Refused {
  name: string;
  /** Script that makes the job’s changes. */
  work?: string;
  /** Scripts that the user runs before the job starts and after its work is done. */
  before?: string;
  after?: string;
  says: RegExp;
}

const unfinished = (path: string, what: string): Refused => ({
  name: `the checkout is in the middle of a ${what}`,
  after: path.startsWith('rebase') ? `mkdir .git/${path}` : `git rev-parse HEAD > .git/${path}`,
  says: new RegExp(`A ${what} is in progress`),
});

const lfs = "printf '*.png filter=lfs diff=lfs merge=lfs -text\\n' > .gitattributes";

const submodule = 'git clone --quiet . sub; git add sub; git commit --quiet -m Submodule';
const driver = "echo '*.md merge=x' > .gitattributes; git add .; git commit --quiet -m Driver";
const missed = `git config core.checkStat minimal; git config core.trustctime false; touch -d 2020-01-01 docs/index.md
git update-index --refresh; sed -i 1s/./X/ docs/index.md; touch -d 2020-01-01 docs/index.md`;
const bothSides = '(echo first; cat docs/index.md) > ../x; cp ../x docs/index.md; git commit --quiet -am First';

const refused: readonly Refused[] = [
  unfinished('MERGE_HEAD', 'merge'),
  unfinished('rebase-merge', 'rebase'),
  unfinished('CHERRY_PICK_HEAD', 'cherry-pick'),
  unfinished('REVERT_HEAD', 'revert'),
  unfinished('BISECT_LOG', 'bisect'),
  {
    name: 'both sides changed a line',
    after: 'echo other >> docs/index.md; git commit --quiet -am Other',
    says: /conflicts in “docs\/index\.md”/,
  },
  {
    name: 'one side deleted what the other changed',
    after: 'git rm --quiet docs/index.md; git commit --quiet -m Delete',
    says: /conflicts in “docs\/index\.md”/,
  },
  {
    name: 'a changed file has uncommitted changes',
    after: 'echo mine >> docs/index.md',
    says: /uncommitted changes in “docs\/index\.md”/,
  },
  {
    name: 'a changed file has staged changes that were undone in the work tree',
    after: 'cp docs/index.md ../kept; echo mine >> docs/index.md; git add .; cp ../kept docs/index.md',
    says: /uncommitted changes in “docs/,
  },
  { name: 'git is set to miss a change', after: missed, says: /uncommitted changes in “docs\/index\.md”/ },
  { name: 'a changed file was deleted', after: 'rm docs/index.md', says: /uncommitted changes in “docs/ },
  { name: 'its folder is a link now', after: 'mv docs ../docs; ln -s ../docs docs', says: /uncommitted changes/ },
  {
    name: 'an untracked file is where a new one goes',
    work: 'echo x > docs/new.md',
    after: 'echo y > docs/new.md',
    says: /Untracked files would be overwritten: “docs\/new\.md”/,
  },
  {
    name: 'an ignored file is where a new one goes',
    work: 'echo x > docs/new.md; git add -f docs/new.md',
    before: "echo 'docs/new*' > .gitignore; git add .; git commit --quiet -m Ignore",
    after: 'echo y > docs/new.md',
    says: /Untracked files would be overwritten: “docs\/new\.md”/,
  },
  {
    name: 'an untracked folder is where a new file goes',
    work: 'echo x > new',
    after: 'mkdir new; echo y > new/file',
    says: /can’t be merged here: .*new/,
  },
  {
    name: 'an ignored file is in a folder that goes',
    before: "echo '*.log' > .gitignore; git add .; git commit --quiet -m Ignore",
    work: 'git rm --quiet -r docs; echo x > docs',
    after: 'echo y > docs/mine.log',
    says: /can’t be merged here/,
  },
  {
    name: 'an untracked file is where a folder goes',
    work: 'mkdir new; echo x > new/file',
    after: 'echo y > new',
    says: /can’t be merged here/,
  },
  {
    name: 'Git LFS keeps a changed file',
    before: `${lfs}; echo version > a.png; git add .; git commit --quiet -m LFS`,
    work: 'echo other > a.png',
    says: /A filter such as Git LFS manages “a\.png”/,
  },
  {
    name: 'the work itself puts a file under Git LFS',
    work: `${lfs}; echo version > a.png`,
    says: /A filter such as Git LFS manages “a\.png”/,
  },
  {
    name: 'the work replaces a submodule by a file',
    before: submodule,
    work: 'rmdir sub; echo x > sub',
    after: 'echo mine > sub/mine.md',
    says: /This work changes submodules \(“sub”\)\..* merge on the command line/,
  },
  {
    name: 'the work replaces a submodule by a link and the branch has moved on',
    before: submodule,
    work: 'rmdir sub; ln -s docs sub',
    after: 'echo mine > sub/mine.md; git commit --quiet --allow-empty -m Mine',
    says: /This work changes submodules \(“sub”\)/,
  },
  {
    name: 'the work removes a submodule that the configuration ignores',
    before: `${submodule}; git config diff.ignoreSubmodules all`,
    work: 'rmdir sub',
    says: /This work changes submodules \(“sub”\)/,
  },
  {
    name: 'both sides changed a file with a merge driver',
    before: driver,
    after: `git config merge.x.driver 'touch ../driven'; ${bothSides}`,
    says: /A merge driver manages “docs\/index\.md”\. Merge on the command line/,
  },
  {
    name: 'both sides changed a file with the default merge driver',
    after: `git config merge.default x; git config merge.x.driver true; ${bothSides}`,
    says: /A merge driver manages “docs\/index\.md”/,
  },
  {
    name: 'there are conflicts in a file whose merge driver is not configured',
    before: driver,
    after: 'echo other >> docs/index.md; git commit --quiet -am Other',
    says: /conflicts in “docs\/index\.md”/,
  },
  {
    name: 'another git command holds the index',
    after: 'touch .git/index.lock',
    says: /Another Git command is running.*index\.lock/,
  },
  {
    name: 'the configuration places the work tree elsewhere',
    after: 'mkdir ../elsewhere; git config core.worktree ../../elsewhere; cd .git',
    says: /its worktree in another folder/,
  },
  { name: 'the repository is gone', after: 'mv .git ../gone', says: /Git reported|Couldn’t read/ },
  {
    name: 'the work is gone from the repository',
    after: 'git branch --quiet -D docs-agent/j1; git reflog expire --expire=now --all; git prune --expire=now',
    says: /no longer in your repository/,
  },
];

describe('merging a job’s work', function () {
  const commitOf = async ({ repo }: MergeFixture, name: string): Promise<string> =>
    (await git(repo, 'rev-parse', name)).trim();

  async function assertClean({ repo }: MergeFixture): Promise<void> {
    assert.equal(await git(repo, 'status', '--porcelain=v1'), '');
    assert.equal(await git(repo, 'fsck', '--strict', '--no-dangling').catch(String), '');
    await assert.rejects(stat(`${repo}/.git/index.lock`), /ENOENT/);
  }

  async function assertRefused(
    bench: MergeFixture,
    says: RegExp,
    ...how: Parameters<MergeFixture['merge']>
  ): Promise<void> {
    const state = await wholeState(bench.repo);
    await assert.rejects(bench.merge(...how), (error) => {
      assert.ok(error instanceof MergeRefusal, String(error));
      assert.match(error.message, says);
      return true;
    });
    assert.deepEqual(await wholeState(bench.repo), state);
  }

  const robin = 'Robin Example <robin@example.org>';

  describe('when the user has changed the job’s branch', () => {
    const FIX = `git checkout --quiet docs-agent/j1; echo fix >> docs/index.md; git commit --quiet -am Fix`;

    for (const [where, after] of [
      ['and gone back to another one', `${FIX}; git checkout --quiet main`],
      ['and is still on it', FIX],
      [
        'after a rebase',
        `${MINE}; git checkout --quiet docs-agent/j1; git rebase --quiet main; git checkout --quiet main`,
      ],
    ] as const) {
      it(`is refused if the user has committed to it ${where}`, async () => {
        const bench = await createMergeFixture();
        await bench.work(EDIT);
        await bench.shell(after);
        const says = /Branch “docs-agent\/j1” has commits that the agent didn’t make/;
        await assertRefused(bench, says);
        const { words, head } = await bench.outlook();
        assert.match(words, says);
        assert.equal(head, '');
      });
    }

    it('counts as merged once the user’s own branch has all of it', async () => {
      const bench = await createMergeFixture();
      await bench.work(EDIT);
      await bench.shell(`${FIX}; git checkout --quiet main; git merge --quiet docs-agent/j1`);
      assert.deepEqual(await bench.merge(), { kind: 'already', branch: 'main' });
    });

    it('is possible if the user has only removed commits from it', async () => {
      const bench = await createMergeFixture();
      await bench.work(EDIT);
      await bench.shell('git branch --force docs-agent/j1 main');
      assert.deepEqual(await bench.merge(), { kind: 'merged', branch: 'main' });
    });
  });

  it('does not block on a named pipe in place of one of git’s files', async () => {
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    await bench.shell('git checkout --quiet --orphan other; git commit --quiet -m Other');
    const state = '.git/worktrees/x/rebase-merge';
    await bench.shell(`mkdir -p ${state}; mkfifo ${state}/head-name`);
    assert.equal((await bench.merge()).branch, 'main');
  });

  it('applies every kind of change to the work tree, as one commit in the user’s name', async () => {
    const bench = await createMergeFixture();
    const [head, commit] = [await commitOf(bench, 'HEAD'), await bench.work(CHANGES)];
    assert.deepEqual(await bench.merge(), { kind: 'merged', branch: 'main' });
    assert.equal(await commitOf(bench, 'main^{tree}'), await commitOf(bench, `${commit}^{tree}`));
    assert.equal(
      (await git(bench.repo, 'log', '-1', '--format=%P|%an <%ae>|%cn <%ce>|%B')).trim(),
      `${head}|${robin}|${robin}|Said more\n\nPrompt:\nSay more\n\nDocs-Agent-Job: ${JOB}\nDocs-Agent-Commit: ${commit}`,
    );
    assert.match(await git(bench.repo, 'reflog', '-1'), /merge docs-agent\/j1/);
    await assertClean(bench);
  });

  it('adds one commit to a branch that has moved on', async () => {
    const bench = await createMergeFixture();
    await bench.work(CHANGES);
    await bench.shell(MINE);
    const head = await commitOf(bench, 'HEAD');
    assert.deepEqual(await bench.merge(), { kind: 'merged', branch: 'main' });
    assert.equal((await git(bench.repo, 'log', '-1', '--format=%P')).trim(), head);
    assert.equal(await git(bench.repo, 'show', 'main:mine.md'), 'mine\n');
    await assertClean(bench);
  });

  it('adds only what is new after earlier work of the job was merged, even in the same lines', async () => {
    const bench = await createMergeFixture();
    await bench.work('echo one >> docs/index.md');
    await bench.shell(MINE);
    await bench.merge();
    await bench.more('sed -i s/one/two/ docs/index.md; echo new > new.md');
    assert.match((await bench.outlook()).words, /merging adds one more commit/);
    assert.deepEqual(await bench.merge(), { kind: 'merged', branch: 'main' });
    assert.match(await git(bench.repo, 'show', 'main:docs/index.md'), /^two$/m);
    const names = await git(bench.repo, 'show', '--format=', '--name-only', 'main');
    assert.equal(names, 'docs/index.md\nnew.md\n');
    assert.equal((await git(bench.repo, 'rev-list', '--count', '--merges', 'main')).trim(), '0');
    assert.deepEqual(await bench.merge(), { kind: 'already', branch: 'main' });
    await bench.shell('sed -i s/two/mine/ docs/index.md; git commit --quiet -am Mine');
    await bench.more('sed -i s/two/three/ docs/index.md');
    await assertRefused(bench, /conflicts in “docs\/index\.md”/);
    await bench.shell('git reset --quiet --hard HEAD~3');
    assert.deepEqual(await bench.merge(), { kind: 'merged', branch: 'main' }, 'merged again after a reset');
    assert.match(await git(bench.repo, 'show', 'main:docs/index.md'), /^three$/m);
    await assertClean(bench);
  });

  it('merges nothing twice when the branch got the same changes in another way', async () => {
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    await bench.shell('git merge --quiet --squash docs-agent/j1; git commit --quiet -m Squashed');
    const head = await commitOf(bench, 'main');
    assert.deepEqual(await bench.merge(), { kind: 'already', branch: 'main' });
    assert.equal(await commitOf(bench, 'main'), head);
  });

  it('keeps unrelated staged, unstaged, deleted, untracked and ignored files', async () => {
    const bench = await createMergeFixture();
    await bench.shell("echo '*.log' > .gitignore; echo a > a.md; echo b > b.md; git add .; git commit --quiet -m More");
    await bench.work(EDIT);
    await bench.shell(
      'echo x >> README.md; echo y >> a.md; git add a.md; echo z >> a.md; rm b.md; echo u > u.md; echo l > l.log',
    );
    const ask = () =>
      Promise.all(
        [['status', '--porcelain=v1', '--ignored'], ['diff'], ['diff', '--cached']].map((args) =>
          git(bench.repo, ...args),
        ),
      );
    const before = await ask();
    await bench.merge();
    assert.deepEqual(await ask(), before);
  });

  it('writes line endings as the user has configured them', async () => {
    const bench = await createMergeFixture();
    await bench.shell('git config core.autocrlf true; rm -r docs; git checkout --quiet docs');
    await bench.work(EDIT);
    await bench.merge();
    await assertClean(bench);
    assert.match(await bench.shell('od -c docs/index.md'), /\\r {2}\\n/);
  });

  it('works in a linked work tree and reports when the work is already merged', async () => {
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    await bench.shell('git checkout --quiet -b other; git worktree add --quiet ../linked main');
    const linked = join(bench.folder, 'linked');
    assert.deepEqual(await bench.merge(linked), { kind: 'merged', branch: 'main' });
    assert.equal(await git(linked, 'status', '--porcelain'), '');
    assert.deepEqual(await bench.merge(linked), { kind: 'already', branch: 'main' });
    await bench.shell('cd ../linked; git checkout --quiet --detach; git branch --quiet -D main');
    await assertRefused(bench, /^No branch is checked out in “.*linked”.* or run “git merge docs/, linked);
  });

  it('moves the job’s base branch when no work tree has it checked out', async () => {
    const bench = await createMergeFixture();
    await bench.shell('git branch old; echo x > foreign.md; git add .; git commit --quiet -m Foreign');
    const commit = await bench.work(EDIT);
    for (const away of ['git checkout --quiet old', 'git checkout --quiet --detach old']) {
      await bench.shell(`${away}; git branch --quiet --force main docs-agent/j1~1`);
      const state = await git(bench.repo, 'status', '--porcelain', '--branch');
      assert.deepEqual(await bench.merge(), { kind: 'merged', branch: 'main' });
      assert.equal(await commitOf(bench, 'main^{tree}'), await commitOf(bench, `${commit}^{tree}`));
      assert.equal(await git(bench.repo, 'status', '--porcelain', '--branch'), state, 'the checkout stays as it is');
    }
    await bench.shell('git branch --quiet --force main docs-agent/j1~1; git worktree add --quiet ../linked main');
    await assertRefused(bench, /“main” is checked out in “.*linked”\. Run “git merge docs-agent\/j1” there/);
  });

  it('is refused while another work tree is rebasing the job’s base branch', async () => {
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    const says = /Branch “main” is being rebased in another worktree/;
    const rebase = "GIT_SEQUENCE_EDITOR='echo break >' git rebase --quiet --interactive HEAD";
    await bench.shell(`git checkout --quiet -b other; git branch old; git worktree add --quiet ../linked main`);
    await bench.shell(`git checkout --quiet --detach; git checkout --quiet --orphan empty; cd ../linked; ${rebase}`);
    await assertRefused(bench, says);
    assert.match((await bench.outlook()).words, says);
    await bench.shell('cd ../linked; git rebase --quit; git checkout --quiet old');
    await bench.shell(`git reset --quiet --hard main; git checkout --quiet main; ${rebase}`);
    await bench.shell('cd ../linked; git checkout --quiet --orphan none');
    await assertRefused(bench, says, join(bench.folder, 'linked'));
  });

  it('is refused when the branch lacks the commit that the job started from', async () => {
    const bench = await createMergeFixture();
    await bench.shell('echo secret > secret.md; git add .; git commit --quiet -m Secret');
    await bench.work(EDIT);
    await bench.shell('git rm --quiet secret.md; git commit --quiet --amend --allow-empty -m Amended');
    const says = /Your branch “main” doesn’t contain commit .* “git cherry-pick/;
    await assertRefused(bench, says);
    assert.match((await bench.outlook()).words, says);
  });

  it('merges only into the branch and commit shown on the page', async () => {
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    const shown = await bench.outlook();
    await bench.shell('git checkout --quiet -b other');
    await assertRefused(bench, /into a different branch, “other”\. Reload/, bench.repo, undefined, shown);
    await bench.shell('git checkout --quiet main; git commit --quiet --allow-empty -m Mine');
    await assertRefused(bench, /“main” has changed since this page was opened/, bench.repo, undefined, shown);
    assert.deepEqual(await bench.merge(), { kind: 'merged', branch: 'main' });
    assert.deepEqual(await bench.merge(bench.repo, undefined, shown), { kind: 'already', branch: 'main' });
  });

  for (const { name, work = EDIT, before, after, says } of refused) {
    it(`is refused and changes nothing when ${name}`, async () => {
      const bench = await createMergeFixture();
      await bench.shell(before ?? 'true');
      await bench.work(work);
      await bench.shell(after ?? 'true');
      const shown = { into: 'main', head: await bench.shell('git rev-parse main').catch(() => '') };
      await assertRefused(bench, says, bench.repo, undefined, { ...shown, head: shown.head.trim() });
      await assert.rejects(stat(join(bench.folder, 'driven')), /ENOENT/);
    });
  }

  it('never overwrites a file that is saved during the merge', async function () {
    notOnWindows();
    for (const [file, work] of [
      ['docs/index.md', 'echo more | tee -a docs/index.md README.md'],
      ['docs/new.md', 'echo new > docs/new.md; echo more >> README.md'],
    ] as const) {
      const bench = await createMergeFixture();
      const commit = await bench.work(work);
      const saved = join(bench.repo, file);
      const program = join(bench.folder, 'gitAfter');
      const save = `case " $* " in *" merge --ff-only "*) printf 'typed just now' > '${saved}';; esac`;
      await writeFile(program, `#!/bin/sh\n${save}\nexec git "$@"\n`, { mode: 0o755 });
      await assert.rejects(bench.merge(bench.repo, program), MergeRefusal);
      assert.equal(await readFile(saved, 'utf8'), 'typed just now');
      assert.match(await git(bench.repo, 'status', '--porcelain'), new RegExp(`^( M|\\?\\?) ${file}\n$`));
      await git(bench.repo, 'stash', 'push', '--quiet', '--include-untracked');
      await bench.merge();
      assert.equal(await commitOf(bench, 'HEAD^{tree}'), await commitOf(bench, `${commit}^{tree}`));
    }
  });
});
