import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../../../../support/temporaryRepository';
import { BRANCH, JOB, mergeBench, type MergeBench } from '../../../../support/mergeBench';

const EDIT = 'echo more >> docs/index.md';

/** Kinds of change, each made by the job. `before` is there before it begins. */
const kinds: readonly { name: string; before?: string; work: string }[] = [
  { name: 'a line', work: EDIT },
  { name: 'a new file in new folders', work: 'mkdir -p a/b/c; echo x > a/b/c/d.md' },
  { name: 'a deleted file and its folder', work: 'git rm --quiet -r docs' },
  { name: 'a renamed file', work: 'git mv docs/index.md docs/start.md' },
  { name: 'a renamed folder', work: 'git mv docs handbook' },
  { name: 'a file in the place of a folder', work: 'git rm --quiet -r docs; echo x > docs' },
  { name: 'a folder in the place of a file', work: 'git rm --quiet README.md; mkdir README.md; echo x > README.md/x' },
  { name: 'an executable file', work: 'chmod +x src/retry.ts; printf "#!/bin/sh\\n" > run; chmod +x run' },
  { name: 'a file that is executable no more', before: 'chmod +x src/retry.ts', work: 'chmod -x src/retry.ts' },
  { name: 'a link inside', work: 'ln -s ../README.md docs/link; ln -s docs handbook' },
  { name: 'a link in the place of a file', work: 'rm docs/index.md; ln -s ../README.md docs/index.md' },
  { name: 'a file in the place of a link', before: 'ln -s README.md link', work: 'rm link; echo x > link' },
  {
    name: 'binary files',
    before: 'head -c 5000 /dev/urandom > a.bin',
    work: 'head -c 70000 /dev/urandom > a.bin; printf "\\0\\1" > b.bin',
  },
  { name: 'an empty file', work: ': > empty.md' },
  {
    name: 'odd names',
    work: `for name in ' a' '"b"' '*' ':(top)c' '-d' 'é' 'f\ng' '!h' 'i\\j'; do echo x > "./$name"; done`,
  },
  {
    name: 'line ends by attributes',
    before: "echo '*.md text eol=crlf' > .gitattributes",
    work: `${EDIT}; printf 'a\\nb\\n' > docs/new.md`,
  },
  { name: 'attributes themselves', work: `echo '*.md text eol=crlf' > .gitattributes; ${EDIT}` },
  { name: 'many files', work: 'for i in $(seq 400); do echo $i > docs/$i.md; done' },
];

describe('a merge', function () {
  this.timeout(30_000);

  /** The user's work tree is what the commit holds, and git finds nothing wrong. */
  async function isClean({ repo, directory }: MergeBench): Promise<void> {
    assert.equal(await git(repo, 'status', '--porcelain=v1'), '');
    assert.equal(await git(repo, 'fsck', '--strict', '--no-dangling').catch(String), '');
    await assert.rejects(stat(`${repo}/.git/index.lock`), /ENOENT/);
    await assert.rejects(stat(`${repo}/.git/index.docs-agent`), /ENOENT/);
    await assert.rejects(stat(directory), /ENOENT/);
  }

  for (const { name, before = 'true', work } of kinds) {
    it(`moves the branch forward with ${name}`, async () => {
      const bench = await mergeBench();
      await bench.shell(`${before}\ngit add .\ngit commit --quiet --allow-empty -m Before`);
      const commit = await bench.work(work);
      assert.deepEqual(await bench.merge(), { kind: 'fast-forward', branch: 'main' });
      assert.equal((await git(bench.repo, 'rev-parse', 'refs/heads/main')).trim(), commit);
      await isClean(bench);
    });

    it(`makes a merge commit with ${name}`, async () => {
      const bench = await mergeBench();
      await bench.shell(`${before}\ngit add .\ngit commit --quiet --allow-empty -m Before`);
      const commit = await bench.work(work);
      await bench.shell('echo mine > mine.md; git add .; git commit --quiet -m Mine');
      const head = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
      assert.deepEqual(await bench.merge(), { kind: 'merge', branch: 'main' });
      assert.equal((await git(bench.repo, 'log', '-1', '--format=%P')).trim(), `${head} ${commit}`);
      await isClean(bench);
      const wanted = (await git(bench.repo, 'merge-tree', '--write-tree', head, commit)).trim();
      assert.equal((await git(bench.repo, 'rev-parse', 'HEAD^{tree}')).trim(), wanted);
    });
  }

  it('leaves what it does not touch: changes, staged ones, deleted, untracked and ignored files, other branches', async () => {
    const bench = await mergeBench();
    await bench.shell("echo '*.log' > .gitignore; echo a > a.md; echo b > b.md; git add .; git commit --quiet -m More");
    await bench.work(EDIT);
    await bench.shell(
      'git stash list; echo x >> README.md; echo y >> a.md; git add a.md; echo z >> a.md; rm b.md; echo u > u.md; echo l > l.log',
    );
    const status = () => git(bench.repo, 'status', '--porcelain=v1', '--ignored');
    const [before, diff] = [await status(), await git(bench.repo, 'diff')];
    const staged = await git(bench.repo, 'diff', '--cached');
    await bench.merge();
    assert.equal(await status(), before);
    assert.equal(await git(bench.repo, 'diff'), diff);
    assert.equal(await git(bench.repo, 'diff', '--cached'), staged);
    assert.equal(
      (await git(bench.repo, 'branch', '--format=%(refname)')).trim(),
      `refs/heads/${BRANCH}\nrefs/heads/main`,
    );
  });

  it('takes a file for unchanged whose times alone changed', async () => {
    const bench = await mergeBench();
    await bench.work(EDIT);
    await bench.shell('touch -d 2001-01-01 docs/index.md; cp README.md ../r; cp ../r README.md');
    await bench.merge();
    await isClean(bench);
  });

  it('writes line ends as the user has them', async () => {
    const bench = await mergeBench();
    await bench.shell('git config core.autocrlf true; rm -r docs; git checkout --quiet docs');
    await bench.work(EDIT);
    await bench.merge();
    await isClean(bench);
    assert.match(await bench.shell('od -c docs/index.md'), /\\r {2}\\n/);
  });

  it('bears the user’s name, the branch and the job, and stands in the reflog', async () => {
    const bench = await mergeBench();
    await bench.work(EDIT);
    await bench.shell('git commit --quiet --allow-empty -m Mine');
    await bench.merge();
    const format = '%an <%ae>|%cn <%ce>|%s|%(trailers:key=Docs-Agent-Job,valueonly)';
    const robin = 'Robin Example <robin@example.org>';
    assert.equal(
      (await git(bench.repo, 'log', '-1', `--format=${format}`)).trim(),
      `${robin}|${robin}|Merge branch '${BRANCH}'|${JOB}`,
    );
    assert.match(await git(bench.repo, 'reflog', '-1'), /merge docs-agent\/j1/);
  });

  it('is done when it was done, and when the user did it', async () => {
    const bench = await mergeBench();
    await bench.work(EDIT);
    await bench.merge();
    assert.deepEqual(await bench.merge(), { kind: 'already', branch: 'main' });
    const other = await mergeBench();
    await other.work(EDIT);
    await other.shell(`git merge --quiet ${BRANCH}`);
    assert.deepEqual(await other.merge(), { kind: 'already', branch: 'main' });
  });

  it('works in a linked work tree, with a split index and from a packed repository', async () => {
    const bench = await mergeBench();
    await bench.shell('git update-index --split-index; git pack-refs --all');
    await bench.work(EDIT);
    await bench.shell('git gc --quiet; git checkout --quiet -b other; git worktree add --quiet ../linked main');
    const linked = join(bench.repo, '..', 'linked');
    assert.deepEqual(await bench.merge(linked), { kind: 'fast-forward', branch: 'main' });
    assert.equal(await git(linked, 'status', '--porcelain'), '');
    assert.equal(await git(bench.repo, 'rev-parse', 'main'), await git(bench.repo, 'rev-parse', BRANCH));
    assert.deepEqual(await bench.merge(), { kind: 'fast-forward', branch: 'other' });
    await isClean(bench);
  });
});
