import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MergeRefusal } from '../../../../src/local-service/review/mergeTarget';
import { BRANCH, createMergeFixture, JOB, type MergeFixture, wholeState } from '../../../support/mergeFixture';
import { itOnLinux, notOnWindows } from '../../../support/machine';
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
  /** Scripts that the user runs before the job starts, and before the merge or its undo. */
  before?: string;
  after: string;
  says: RegExp;
}

const unfinished = (path: string, what: string): Refused => ({
  name: `a ${what} is in progress`,
  after: path.startsWith('rebase') ? `mkdir .git/${path}` : `git rev-parse HEAD > .git/${path}`,
  says: new RegExp(`A ${what} is in progress`),
});

const IGNORE = (what: string) => `echo '${what}' > .gitignore; git add .; git commit --quiet -m Ignore`;
const LFS = "printf '*.png filter=lfs diff=lfs merge=lfs -text\\n' > .gitattributes";
const SUBMODULE = 'git clone --quiet . sub; git add sub; git commit --quiet -m Submodule';
const NESTED = (folder: string) => `cd ${folder}; git init --quiet; git config user.name x
git config user.email x@example.org; git add .; git commit --quiet -m Mine`;
/** Leaves only `src` checked out, and writes a file outside of it. */
const SPARSE = (file: string) => `git config sparse.expectFilesOutsideOfPatterns true
git sparse-checkout set --no-cone /src/; mkdir -p docs; echo mine > ${file}`;
const FLAGGED = (flag: string) => `git update-index --${flag} docs/index.md; echo mine >> docs/index.md`;
const OVERWRITTEN = /local changes to the following files would be overwritten by merge: docs\/index\.md/;
const FILTERED = /A filter such as Git LFS manages a\.png/;

const refusedMerges: readonly Refused[] = [
  unfinished('MERGE_HEAD', 'merge'),
  unfinished('rebase-merge', 'rebase'),
  unfinished('CHERRY_PICK_HEAD', 'cherry-pick'),
  unfinished('REVERT_HEAD', 'revert'),
  unfinished('BISECT_LOG', 'bisect'),
  {
    name: 'both sides changed a line',
    after: 'echo other >> docs/index.md; git commit --quiet -am Other',
    says: /conflict with those on “main” in docs\/index\.md/,
  },
  {
    name: 'one side deleted what the other changed',
    after: 'git rm --quiet docs/index.md; git commit --quiet -m Delete',
    says: /conflict with those on “main” in docs\/index\.md/,
  },
  { name: 'a changed file has uncommitted changes', after: 'echo mine >> docs/index.md', says: OVERWRITTEN },
  {
    name: 'a changed file has staged changes that were undone in the work tree',
    after: 'cp docs/index.md ../kept; echo mine >> docs/index.md; git add .; cp ../kept docs/index.md',
    says: OVERWRITTEN,
  },
  {
    name: 'git is set to miss a change',
    after: `git config core.checkStat minimal; git config core.trustctime false; touch -d 2020-01-01 docs/index.md
git update-index --refresh; sed -i 1s/./X/ docs/index.md; touch -d 2020-01-01 docs/index.md`,
    says: OVERWRITTEN,
  },
  {
    name: 'a changed file is assumed to be unchanged',
    after: FLAGGED('assume-unchanged'),
    says: /“docs\/index\.md” differs .* Run “git update-index --no-assume-unchanged "docs\/index\.md"”/,
  },
  {
    name: 'a changed file is not looked at',
    after: FLAGGED('skip-worktree'),
    says: /“docs\/index\.md” differs .* Run “git update-index --no-skip-worktree "docs\/index\.md"”/,
  },
  {
    name: 'the changes were applied to the files before',
    after: `git diff main...${BRANCH} > ../patch; git apply ../patch`,
    says: OVERWRITTEN,
  },
  { name: 'its folder is a link now', after: 'mv docs ../docs; ln -s ../docs docs', says: /would delete docs/ },
  {
    name: 'a changed file is outside of a sparse checkout',
    work: 'git rm --quiet docs/index.md',
    after: SPARSE('docs/index.md'),
    says: /can’t be merged here/,
  },
  {
    name: 'an untracked file is where a new one goes',
    work: 'echo x > docs/new.md',
    after: 'echo y > docs/new.md',
    says: /untracked working tree files would be overwritten by merge: docs\/new\.md/,
  },
  {
    name: 'an ignored file is where a new one goes',
    work: 'echo x > docs/new.md; git add -f docs/new.md',
    before: IGNORE('docs/new*'),
    after: 'echo y > docs/new.md',
    says: /untracked working tree files would be overwritten by merge: docs\/new\.md/,
  },
  {
    name: 'an untracked folder is where a new file goes',
    work: 'echo x > new',
    after: 'mkdir new; echo y > new/file',
    says: /can’t be merged here: .*new/,
  },
  {
    name: 'an ignored file is in a folder that goes',
    before: IGNORE('*.log'),
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
    name: 'there is a repository in a folder that becomes a file',
    work: 'git rm --quiet -r docs; echo x > docs',
    after: NESTED('docs'),
    says: /would delete docs/,
  },
  {
    name: 'Git LFS keeps a changed file',
    before: `${LFS}; echo version > a.png; git add .; git commit --quiet -m LFS`,
    work: 'echo other > a.png',
    after: 'true',
    says: FILTERED,
  },
  {
    name: 'the work itself puts a file under Git LFS',
    work: `${LFS}; echo version > a.png`,
    after: 'true',
    says: FILTERED,
  },
  {
    name: 'the work replaces a submodule by a file',
    before: SUBMODULE,
    work: 'rmdir sub; echo x > sub',
    after: 'echo mine > sub/mine.md',
    says: /This would delete submodules \(sub\)/,
  },
  {
    name: 'the work replaces a submodule by a link and the branch has moved on',
    before: SUBMODULE,
    work: 'rmdir sub; ln -s docs sub',
    after: 'echo mine > sub/mine.md; git commit --quiet --allow-empty -m Mine',
    says: /This would delete submodules \(sub\)/,
  },
  {
    name: 'another git command holds the index',
    after: 'touch .git/index.lock',
    says: /Another Git command is running.*index\.lock/,
  },
  { name: 'the repository is gone', after: 'mv .git ../gone', says: /Git reported|Couldn’t read/ },
  {
    name: 'the work is gone from the repository',
    after: `git branch --quiet -D ${BRANCH}; git reflog expire --expire=now --all; git prune --expire=now`,
    says: /no longer in your repository/,
  },
  {
    name: 'the user has rebased the job’s branch',
    after: `${MINE}; git checkout --quiet ${BRANCH}; git rebase --quiet main; git checkout --quiet main`,
    says: /Branch “docs-agent\/j1” no longer contains what the agent committed/,
  },
  {
    name: 'the branch lacks the commit that the job started from',
    before: 'echo secret > secret.md; git add .; git commit --quiet -m Secret',
    after: 'git rm --quiet secret.md; git commit --quiet --amend --allow-empty -m Amended',
    says: /Your branch “main” doesn’t contain commit .* “git cherry-pick/,
  },
  {
    name: 'no branch is checked out',
    after: 'git checkout --quiet --detach; git branch --quiet -D main',
    says: /^No branch is checked out in .* or run “git merge docs/,
  },
  {
    name: 'the job’s base branch is checked out elsewhere',
    after: 'git branch old; git checkout --quiet --orphan other; git worktree add --quiet ../linked main',
    says: /“main” is checked out in “.*linked”\. Run “git merge docs-agent\/j1” there/,
  },
];

const refusedUndos: readonly Refused[] = [
  unfinished('rebase-merge', 'rebase'),
  { name: 'there are later commits', after: MINE, says: /^“main” has later commits\. .* revert commit [0-9a-f]{7} / },
  {
    name: 'another branch has the merge, too',
    after: `${MINE}; git branch another`,
    says: /^“main” has later commits/,
  },
  {
    name: 'the commit was amended',
    after: 'sleep 1; echo mine >> docs/index.md; git commit --quiet --all --amend --no-edit',
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
    says: /overwritten.*index\.md/,
  },
  {
    name: 'a merged file has staged changes',
    after: 'echo mine >> docs/index.md; git add .',
    says: /overwritten.*index\.md/,
  },
  {
    name: 'a merged file is assumed to be unchanged',
    after: FLAGGED('assume-unchanged'),
    says: /“git update-index --no-assume-unchanged /,
  },
  {
    name: 'a merged file is outside of a sparse checkout',
    work: 'echo x > docs/new.md',
    after: SPARSE('docs/new.md'),
    says: /can’t be undone here/,
  },
  {
    name: 'an untracked file is where a deleted one was',
    work: 'git rm --quiet README.md',
    after: 'echo mine > README.md',
    says: /untracked working tree files would be overwritten .*README\.md/,
  },
  {
    name: 'an ignored file is where a deleted one was',
    before: IGNORE('README*'),
    work: 'git rm --quiet README.md',
    after: 'echo mine > README.md',
    says: /untracked working tree files would be overwritten .*README\.md/,
  },
  {
    name: 'an ignored file is in a folder that a file was replaced by',
    before: IGNORE('*.log'),
    work: 'git rm --quiet README.md; mkdir README.md; echo x > README.md/x',
    after: 'echo mine > README.md/mine.log',
    says: /^The merge can’t be undone here: /,
  },
  {
    name: 'there is a repository in a folder that a file was replaced by',
    work: 'git rm --quiet README.md; mkdir README.md; echo x > README.md/x',
    after: NESTED('README.md'),
    says: /would delete README\.md/,
  },
  {
    name: 'the branch is checked out in another work tree',
    after: 'git checkout --quiet -b other HEAD~1; git worktree add --quiet ../linked main',
    says: /^Branch “main” is checked out in “.*linked”\. .*revert its commit there with Git/,
  },
  {
    name: 'the work is gone from the repository',
    after: `git reset --quiet --hard HEAD~1; git update-ref -d refs/docs-agent/merged/j1
git reflog expire --expire=now --all; git prune --expire=now`,
    says: /no longer in your repository/,
  },
];

/** Files that differ between two states, without the job's branch, whose restoration does no harm. */
function changedFiles(before: Record<string, string>, after: Record<string, string>): string[] {
  const paths = Object.keys({ ...before, ...after });
  return paths.filter((path) => before[path] !== after[path] && !path.includes('docs-agent'));
}

async function assertRefused(bench: MergeFixture, work: () => Promise<unknown>, says: RegExp): Promise<void> {
  const state = await wholeState(bench.repo);
  await assert.rejects(work(), (error) => {
    assert.ok(error instanceof MergeRefusal, String(error));
    assert.match(error.message, says);
    return true;
  });
  assert.deepEqual(changedFiles(state, await wholeState(bench.repo)), []);
}

async function assertClean({ repo }: MergeFixture): Promise<void> {
  assert.equal(await git(repo, 'status', '--porcelain=v1'), '');
  assert.equal(await git(repo, 'fsck', '--strict', '--no-dangling').catch(String), '');
}

/** A git that runs a script before each command that matches. */
async function gitWith(folder: string, command: string, script: string): Promise<string> {
  const program = join(folder, 'gitWith');
  const run = `case " $* " in *" ${command} "*) ${script};; esac`;
  await writeFile(program, `#!/bin/sh\n${run}\nexec git "$@"\n`, { mode: 0o755 });
  return program;
}

describe('merging a job’s work', () => {
  for (const { name, work = EDIT, before = 'true', after, says } of refusedMerges) {
    it(`is refused and changes nothing when ${name}`, async () => {
      const bench = await createMergeFixture();
      await bench.shell(before);
      const commit = await bench.work(work);
      await bench.shell(after);
      const head = await bench.commit('main').catch(() => '');
      await assertRefused(bench, () => bench.merge(bench.repo, 'git', { commit, into: 'main', head }), says);
    });
  }

  it('applies every kind of change to the work tree, as one commit in the user’s name', async () => {
    const bench = await createMergeFixture();
    const [head, commit] = [await bench.commit('HEAD'), await bench.work(CHANGES)];
    assert.deepEqual(await bench.merge(), { branch: 'main', deleted: { branch: BRANCH, commit } });
    assert.equal(await bench.commit('main^{tree}'), await bench.commit(`${commit}^{tree}`));
    const robin = 'Robin Example <robin@example.org>';
    assert.equal(
      (await git(bench.repo, 'log', '-1', '--format=%P|%an <%ae>|%cn <%ce>|%G?|%B')).trim(),
      `${head}|${robin}|${robin}|N|Said more\n\nPrompt:\nSay more\n\nDocs-Agent-Job: ${JOB}\nDocs-Agent-Commit: ${commit}`,
    );
    assert.match(await git(bench.repo, 'reflog', '-1'), /merge docs-agent\/j1/);
    await assertClean(bench);
  });

  it('takes a branch for what it is although a tag has its name', async () => {
    const bench = await createMergeFixture();
    await bench.shell('git tag main; git checkout --quiet --detach; git checkout --quiet -b other');
    await bench.work(EDIT);
    for (const target of ['other', 'main']) {
      await bench.shell(`git symbolic-ref HEAD refs/heads/${target}`);
      assert.equal((await bench.preview()).into, target);
      assert.equal((await bench.merge()).branch, target);
      assert.equal(await bench.undo(), target);
      await assertClean(bench);
    }
  });

  it('adds one commit to a branch that has moved on', async () => {
    const bench = await createMergeFixture();
    await bench.work(CHANGES);
    await bench.shell(MINE);
    const head = await bench.commit('HEAD');
    assert.match((await bench.preview()).words, /^Merging adds one commit/);
    await bench.merge();
    assert.equal((await git(bench.repo, 'log', '-1', '--format=%P')).trim(), head);
    assert.equal(await git(bench.repo, 'show', 'main:mine.md'), 'mine\n');
    await assertClean(bench);
  });

  it('signs the commit as the user does, with a program of the user and not of the repository', async function () {
    notOnWindows();
    const bench = await createMergeFixture();
    const config = process.env['GIT_CONFIG_GLOBAL'];
    await bench.shell(`ssh-keygen -q -t ed25519 -N '' -f ../key
printf '[commit]\\ngpgSign = true\\n[gpg]\\nformat = ssh\\n[user]\\nsigningKey = ${bench.folder}/key.pub\\n' > ../gitconfig
git config gpg.ssh.program 'touch ${bench.folder}/ran'`);
    await bench.work(EDIT);
    process.env['GIT_CONFIG_GLOBAL'] = join(bench.folder, 'gitconfig');
    try {
      await bench.merge();
    } finally {
      delete process.env['GIT_CONFIG_GLOBAL'];
      Object.assign(process.env, config === undefined ? {} : { GIT_CONFIG_GLOBAL: config });
    }
    assert.match(await git(bench.repo, 'cat-file', 'commit', 'HEAD'), /gpgsig -----BEGIN SSH SIGNATURE-----/);
    await assert.rejects(stat(join(bench.folder, 'ran')), /ENOENT/);
    assert.equal(await bench.undo(), 'main');
  });

  it('keeps the rules of the repository for commits, and says if it can’t sign', async () => {
    const bench = await createMergeFixture();
    await bench.shell(`mkdir .docs-agent
printf '{"commits":{"signOff":true,"subjectPrefix":"docs: ","sign":true}}' > .docs-agent/settings.json
git add .; git commit --quiet -m Rules; git config gpg.format ssh; git config user.signingKey ${bench.folder}/none.pub`);
    await bench.work(EDIT);
    await bench.merge();
    const message = await git(bench.repo, 'log', '-1', '--format=%G?|%s|%(trailers:key=Signed-off-by)');
    assert.equal(message.trim(), 'N|docs: Said more|Signed-off-by: Robin Example <robin@example.org>');
    assert.match(bench.notes.join(), /^The commit isn’t signed: /);
  });

  it('adds only what is new after earlier work of the job was merged, even in the same lines', async () => {
    const bench = await createMergeFixture();
    await bench.work('echo one >> docs/index.md');
    await bench.shell(MINE);
    await bench.merge();
    await bench.more('sed -i s/one/two/ docs/index.md; echo new > new.md');
    await bench.merge();
    assert.match(await git(bench.repo, 'show', 'main:docs/index.md'), /^two$/m);
    const names = await git(bench.repo, 'show', '--format=', '--name-only', 'main');
    assert.equal(names, 'docs/index.md\nnew.md\n');
    const head = await bench.commit('main');
    assert.match((await bench.preview()).words, /already contains this work/);
    await bench.merge();
    assert.equal(await bench.commit('main'), head, 'a repeated request changes nothing');
    await bench.shell('sed -i s/two/mine/ docs/index.md; git commit --quiet -am Mine');
    await bench.more('sed -i s/two/three/ docs/index.md');
    assert.match((await bench.preview()).words, /conflict with those on “main” in docs\/index\.md/);
    await bench.shell('git reset --quiet --hard HEAD~3');
    await bench.merge();
    assert.match(await git(bench.repo, 'show', 'main:docs/index.md'), /^three$/m, 'merged again after a reset');
    await assertClean(bench);
  });

  it('includes what the user has committed to the job’s branch, also before a follow-up', async () => {
    const bench = await createMergeFixture();
    const commit = await bench.work('echo one >> docs/index.md');
    await bench.shell(`git checkout --quiet ${BRANCH}; echo fix >> README.md; git commit --quiet -am Fix`);
    const tip = await bench.commit(BRANCH);
    const { into, deletes, ...shown } = await bench.preview();
    assert.deepEqual([into, shown.commit, deletes], ['main', tip, null], 'while the job’s branch is checked out');
    await bench.shell('git checkout --quiet main');
    assert.deepEqual((await bench.merge()).deleted, { branch: BRANCH, commit: tip });
    assert.match(await git(bench.repo, 'show', 'main:README.md'), /^fix$/m);
    const ofWork = await git(bench.repo, 'log', '-1', '--format=%(trailers:key=Docs-Agent-Commit,valueonly)');
    assert.equal(ofWork.trim(), commit);
    await bench.more('sed -i s/one/two/ docs/index.md');
    await bench.merge();
    assert.match(await git(bench.repo, 'show', 'main:README.md'), /^fix$/m);
    assert.match(await git(bench.repo, 'show', 'main:docs/index.md'), /^two$/m);
    assert.equal(await bench.undo(), 'main');
  });

  it('merges nothing twice when the branch got the same changes in another way', async () => {
    for (const way of [
      `git merge --quiet --squash ${BRANCH}; git commit --quiet -m Squashed`,
      `git checkout --quiet ${BRANCH}; ${MINE}; git checkout --quiet main; git merge --quiet ${BRANCH}`,
    ]) {
      const bench = await createMergeFixture();
      await bench.work(EDIT);
      await bench.shell(way);
      const head = await bench.commit('main');
      assert.equal((await bench.merge()).branch, 'main');
      assert.equal(await bench.commit('main'), head);
    }
  });

  it('keeps unrelated staged, unstaged, deleted, untracked and ignored files', async () => {
    const bench = await createMergeFixture();
    await bench.shell(`${IGNORE('*.log')}; echo a > a.md; echo b > b.md; git add .; git commit --quiet -m More`);
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

  it('writes to the folder that the user has opened, whatever the repository’s configuration says', async () => {
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    await bench.shell('mkdir ../elsewhere; git config core.worktree ../../elsewhere');
    await bench.merge();
    assert.match(await readFile(join(bench.repo, 'docs/index.md'), 'utf8'), /more\n$/);
    await assert.rejects(stat(join(bench.folder, 'elsewhere/docs')), /ENOENT/);
  });

  it('works in a linked work tree', async () => {
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    await bench.shell('git checkout --quiet -b other; git worktree add --quiet ../linked main');
    const linked = join(bench.folder, 'linked');
    assert.equal((await bench.merge(linked)).branch, 'main');
    assert.equal(await git(linked, 'status', '--porcelain'), '');
  });

  it('moves the job’s base branch when no work tree has it checked out', async () => {
    const bench = await createMergeFixture();
    await bench.shell('git branch old; echo x > foreign.md; git add .; git commit --quiet -m Foreign');
    const commit = await bench.work(EDIT);
    for (const away of ['git checkout --quiet old', 'git checkout --quiet --detach old']) {
      await bench.shell(`${away}; git branch --quiet --force main ${commit}~1`);
      const state = await git(bench.repo, 'status', '--porcelain', '--branch');
      assert.equal((await bench.merge()).branch, 'main');
      assert.equal(await bench.commit('main^{tree}'), await bench.commit(`${commit}^{tree}`));
      assert.equal(await git(bench.repo, 'status', '--porcelain', '--branch'), state, 'the checkout stays as it is');
    }
  });

  it('merges only into the branch and commit, and only the work, that the user saw', async () => {
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    const shown = await bench.preview();
    const merge = () => bench.merge(bench.repo, 'git', shown);
    await bench.shell('git checkout --quiet -b other');
    await assertRefused(bench, merge, /merge into, “other”, has changed in the meantime/);
    await bench.shell('git checkout --quiet main; git commit --quiet --allow-empty -m Mine');
    await assertRefused(bench, merge, /merge into, “main”, has changed in the meantime/);
    await bench.more('echo x > docs/new.md');
    await assertRefused(bench, merge, /The job’s work has changed in the meantime/);
    await bench.merge();
  });

  it('keeps the job’s branch if it is checked out or has moved in the meantime', async () => {
    const bench = await createMergeFixture();
    const commit = await bench.work(EDIT);
    const moved = await gitWith(bench.folder, 'merge --ff-only', `command git branch -f ${BRANCH} main`);
    assert.equal((await bench.merge(bench.repo, moved)).deleted, null);
    await bench.shell(`git branch -f ${BRANCH} ${commit}; git worktree add --quiet ../linked ${BRANCH}`);
    assert.equal((await bench.preview()).deletes, null);
    assert.equal((await bench.merge()).deleted, null);
    assert.equal(await bench.commit(BRANCH), commit);
  });

  it('never overwrites a file that is saved during the merge', async function () {
    notOnWindows();
    for (const [file, work] of [
      ['docs/index.md', 'echo more | tee -a docs/index.md README.md'],
      ['docs/new.md', 'echo new > docs/new.md; echo more >> README.md'],
    ] as const) {
      const bench = await createMergeFixture();
      const commit = await bench.work(work);
      const saved = join(bench.repo, file);
      const saving = await gitWith(bench.folder, 'merge --ff-only', `printf 'typed just now' > '${saved}'`);
      await assert.rejects(bench.merge(bench.repo, saving), MergeRefusal);
      assert.equal(await readFile(saved, 'utf8'), 'typed just now');
      assert.match(await git(bench.repo, 'status', '--porcelain'), new RegExp(`^( M|\\?\\?) ${file}\n$`));
      await git(bench.repo, 'stash', 'push', '--quiet', '--include-untracked');
      await bench.merge();
      assert.equal(await bench.commit('HEAD^{tree}'), await bench.commit(`${commit}^{tree}`));
    }
  });

  it('is refused when the user’s own attributes have a filter for a file', async () => {
    const bench = await createMergeFixture();
    await bench.work('echo x > a.secret');
    const configHome = process.env['XDG_CONFIG_HOME'];
    process.env['XDG_CONFIG_HOME'] = bench.folder;
    await mkdir(join(bench.folder, 'git'));
    await writeFile(join(bench.folder, 'git/attributes'), '*.secret filter=crypt\n');
    try {
      await assertRefused(bench, () => bench.merge(), /A filter such as Git LFS manages a\.secret/);
    } finally {
      delete process.env['XDG_CONFIG_HOME'];
      Object.assign(process.env, configHome === undefined ? {} : { XDG_CONFIG_HOME: configHome });
    }
  });

  it('ignores grafts, with which a repository could leave out the user’s commits', async () => {
    const bench = await createMergeFixture();
    const commit = await bench.work('echo more >> README.md');
    await bench.shell(MINE);
    await mkdir(join(bench.repo, '.git/info'), { recursive: true });
    await writeFile(join(bench.repo, '.git/info/grafts'), `${commit} ${await bench.commit('HEAD')}\n`);
    await bench.merge();
    assert.equal(await git(bench.repo, 'show', 'HEAD:mine.md'), 'mine\n');
  });

  itOnLinux('treats a file whose name is not UTF-8 like any other', async () => {
    const bench = await createMergeFixture();
    const name = "$(printf 'docs/caf\\351.md')";
    await bench.work(`echo text > ${name}`);
    await bench.merge();
    await assertClean(bench);
    await bench.shell(`echo mine >> ${name}`);
    await assert.rejects(bench.undo(), /overwritten.*docs\/caf\uFFFD\.md/);
    assert.match(await git(bench.repo, 'diff', '--', 'docs'), /^\+mine$/m);
  });
});

describe('undoing the merge of a job’s work', () => {
  for (const { name, work = EDIT, before = 'true', after, says } of refusedUndos) {
    it(`is refused and changes nothing when ${name}`, async () => {
      const bench = await createMergeFixture();
      await bench.shell(before);
      await bench.work(work);
      await bench.merge();
      await bench.shell(after);
      await assertRefused(bench, () => bench.undo(), says);
    });
  }

  it('goes back to exactly what was before, with every kind of change, so that the work can be merged again', async () => {
    for (const between of ['true', MINE]) {
      const bench = await createMergeFixture();
      await bench.shell(`${IGNORE('*.log')}; echo a > a.md; git add .; git commit --quiet -m More`);
      const commit = await bench.work(CHANGES);
      await bench.shell(`${between}; git gc --quiet`);
      const head = await bench.commit('main');
      await bench.merge();
      await assert.rejects(bench.commit(BRANCH));
      await bench.shell('echo own >> a.md; echo staged > s.md; git add s.md; echo u > u.md; echo l > l.log');
      const status = () => git(bench.repo, 'status', '--porcelain=v1', '--ignored');
      const own = await status();
      assert.equal(await bench.undo(), 'main');
      assert.deepEqual([await bench.commit('main'), await bench.commit(BRANCH)], [head, commit]);
      assert.equal((await git(bench.repo, 'symbolic-ref', '--short', 'HEAD')).trim(), 'main');
      assert.equal(await status(), own);
      assert.equal(await bench.undo(), undefined, 'a repeated request changes nothing');
      assert.equal(await bench.commit('main'), head);
      await bench.merge();
      assert.equal(await status(), own);
    }
  });

  it('undoes only the last merge of a job with a follow-up', async () => {
    const bench = await createMergeFixture();
    await bench.work('echo one >> docs/index.md');
    await bench.shell(MINE);
    await bench.merge();
    const first = await bench.commit('main');
    const commit = await bench.more('sed -i s/one/two/ docs/index.md');
    await bench.merge();
    assert.equal(await bench.undo(), 'main');
    assert.deepEqual([await bench.commit('main'), await bench.commit(BRANCH)], [first, commit]);
    assert.equal(await bench.undo(), undefined);
  });

  it('moves a branch that is not checked out without touching files', async () => {
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    const head = await bench.commit('main');
    await bench.merge();
    await bench.shell('git checkout --quiet -b other HEAD~1; echo mine >> docs/index.md');
    assert.equal(await bench.undo(), 'main');
    assert.deepEqual([await bench.commit('main'), await bench.commit('other')], [head, head]);
    assert.equal(await git(bench.repo, 'status', '--porcelain'), ' M docs/index.md\n');
  });

  it('only restores the branch if the user has undone the merge with git, and keeps one that exists', async () => {
    for (const undo of ['git reset --quiet --soft HEAD~1', `git reset --quiet --hard HEAD~1; git branch ${BRANCH}`]) {
      const bench = await createMergeFixture();
      const commit = await bench.work(EDIT);
      await bench.merge();
      await bench.shell(undo);
      const [head, status] = [await bench.commit('main'), await git(bench.repo, 'status', '--porcelain')];
      assert.equal(await bench.undo(), undefined);
      assert.deepEqual([await bench.commit('main'), await git(bench.repo, 'status', '--porcelain')], [head, status]);
      assert.equal(await bench.commit(BRANCH), undo.includes('branch') ? head : commit);
    }
  });

  it('never overwrites a file that is saved in the meantime', async function () {
    notOnWindows();
    const bench = await createMergeFixture();
    await bench.work(EDIT);
    await bench.merge();
    const merged = await bench.commit('main');
    const saved = join(bench.repo, 'docs/index.md');
    const saving = await gitWith(bench.folder, 'switch', `printf 'typed just now' > '${saved}'`);
    await assert.rejects(bench.undo(bench.repo, saving), MergeRefusal);
    assert.equal(await readFile(saved, 'utf8'), 'typed just now');
    assert.equal(await bench.commit('main'), merged);
  });
});
