import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyChanges } from '../../../src/git/applyChanges';
import { diffSummary } from '../../../src/git/diff';
import { withUserFileSettings } from '../../../src/git/repositorySettings';
import { Git, GitError } from '../../../src/git/git';
import { runEditorGit } from '../../../src/git/editorGit';
import { createMergeFixture, type MergeFixture, wholeState } from '../../support/mergeFixture';
import { notOnWindows } from '../../support/machine';
import { git } from '../../support/temporaryRepository';

const CHANGES = `echo more >> docs/index.md; mkdir -p a/b; echo x > a/b/c.md; git rm --quiet src/retry.ts
chmod +x README.md; head -c 70000 /dev/urandom > a.bin; printf 'caf\\351\\n' > latin1.md; echo x > 'ü "q".md'`;
const FILES = ['README.md', 'a.bin', 'a/b/c.md', 'docs/index.md', 'latin1.md', 'src/retry.ts', 'ü "q".md'];

describe('applying a job’s changes to the work tree', function () {
  notOnWindows();
  let bench: MergeFixture;
  let base: string;
  beforeEach(async () => {
    bench = await createMergeFixture();
    base = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
  });

  /** @param meanwhile called before each command of the user's git, with its arguments */
  const apply = async (
    commit: string,
    from = base,
    meanwhile?: (args: string[]) => Promise<void>,
  ): Promise<boolean> => {
    const runner = new Git(process.env);
    const opened = { git: runner, place: await withUserFileSettings(runner, bench.repo) };
    const { files } = await diffSummary({ ...opened, signal: AbortSignal.timeout(30_000) }, [from, commit]);
    const paths = files.flatMap(({ path, from: old = path }) => [path, old]);
    return applyChanges(opened, { base: from, commit, paths }, async (...args) => {
      await meanwhile?.(args);
      return runEditorGit('git', bench.repo, args);
    });
  };

  it('changes exactly the files of the job, and neither the index nor a branch', async () => {
    const commit = await bench.work(CHANGES);
    await bench.shell('echo mine > mine.md; git add .; git commit --quiet -m Mine; echo staged > s.md; git add s.md');
    await bench.shell('echo own >> docs/getting-started.md');
    const refs = await git(bench.repo, 'for-each-ref');
    assert.equal(await apply(commit), true);
    assert.equal(await git(bench.repo, 'diff', '--cached', '--name-only'), 's.md\n');
    assert.equal(await git(bench.repo, 'for-each-ref'), refs);
    assert.match(await readFile(join(bench.repo, 'docs/getting-started.md'), 'utf8'), /own\n$/);
    const once = await wholeState(bench.repo);
    assert.equal(await apply(commit), false, 'a second time');
    assert.deepEqual(await wholeState(bench.repo), once);
    await git(bench.repo, 'add', '--all', '--', ...FILES);
    assert.equal(await git(bench.repo, 'diff', '--cached', commit, '--', ...FILES), '');
  });

  for (const [what, script] of [
    ['committed', 'sed -i 1s/.*/Mine/ docs/getting-started.md; git commit --quiet -am Mine'],
    ['changed', 'sed -i 1s/.*/Mine/ docs/getting-started.md'],
    ['staged', 'sed -i 1s/.*/Mine/ docs/getting-started.md; git add .'],
    [
      'changed unnoticed',
      'git update-index --assume-unchanged docs/getting-started.md; sed -i 1s/.*/Mine/ docs/getting-started.md',
    ],
  ] as const) {
    it(`combines them with what the user has ${what} elsewhere in the same file`, async () => {
      const commit = await bench.work('echo more >> docs/getting-started.md');
      await bench.shell(script);
      assert.equal(await apply(commit), true);
      assert.match(await readFile(join(bench.repo, 'docs/getting-started.md'), 'utf8'), /^Mine\n[^]*\nmore\n$/);
    });
  }

  it('does not apply the commits that the job is based on to a branch without them', async () => {
    await bench.shell(
      'git checkout --quiet -b other; echo half > half.md; git add .; git commit --quiet -m Unfinished',
    );
    const from = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
    const commit = await bench.work('echo more >> docs/index.md');
    await bench.shell('git checkout --quiet main');
    assert.equal(await apply(commit, from), true);
    assert.equal(await git(bench.repo, 'status', '--porcelain'), ' M docs/index.md\n');
  });

  it('does not bring back work that was merged before and then reverted', async () => {
    const first = await bench.work('echo unwanted >> docs/index.md');
    await bench.merge();
    await git(bench.repo, 'revert', '--no-edit', 'HEAD');
    const next = await bench.more('echo more >> docs/getting-started.md');
    assert.equal(await apply(next, first), true);
    assert.equal(await git(bench.repo, 'status', '--porcelain'), ' M docs/getting-started.md\n');
  });

  const flagged = (flag: string): string => `git update-index --${flag} docs/index.md; echo mine >> docs/index.md`;
  const hidden = `git ls-files -z docs | xargs -0 git update-index --assume-unchanged; mv docs ../; ln -s ../docs docs`;
  const REFUSED: [hazard: string, script: string, words: RegExp][] = [
    ['the same lines have uncommitted changes', 'echo mine >> docs/index.md', /docs\/index\.md: patch does not apply/],
    ['git was told to take them as unchanged', flagged('assume-unchanged'), /docs\/index\.md: patch does not apply/],
    ['git was told to skip them', flagged('skip-worktree'), /docs\/index\.md: patch does not apply/],
    [
      'git is configured to miss the change',
      `git config core.checkStat minimal; git config core.trustctime false; touch -d 2020-01-01 docs/index.md
      git update-index --refresh; sed -i 3s/./X/ docs/index.md; touch -d 2020-01-01 docs/index.md`,
      /docs\/index\.md: patch does not apply/,
    ],
    ['a commit changed the same lines', 'echo other >> docs/index.md; git commit --quiet -am Other', /does not apply/],
    ['an untracked file is in the way', 'echo mine > new.md', /new\.md: already exists in working directory/],
    ['an ignored file is in the way', 'echo new.md > .git/info/exclude; echo mine > new.md', /new\.md: already exists/],
    [
      'a file is in the place of a new folder',
      'echo mine > notes',
      /unable to write file 'notes\/a\.md'.+Not a directory/,
    ],
    [
      'a folder is in the place of a new file',
      'mkdir new.md; echo mine > new.md/a.md',
      /unable to write file 'new\.md'/,
    ],
    [
      'a file is outside of the sparse checkout',
      'git sparse-checkout set --no-cone src',
      /docs\/index\.md: No such file/,
    ],
    ['a folder became a link', hidden, /docs\/index\.md.+ beyond a symbolic link|docs\/index\.md: /],
  ];
  for (const [when, script, words] of REFUSED) {
    it(`changes nothing, and says why, when ${when}`, async () => {
      const commit = await bench.work(
        'echo more >> docs/index.md; echo new > new.md; mkdir notes; echo new > notes/a.md',
      );
      await bench.shell(script);
      await git(bench.repo, 'status');
      const before = await wholeState(bench.folder);
      await assert.rejects(apply(commit), (error) => {
        assert.ok(error instanceof GitError);
        assert.match(error.message, words);
        return true;
      });
      assert.deepEqual(await wholeState(bench.folder), before);
    });
  }

  it('changes nothing when the branch has the changes', async () => {
    const commit = await bench.work(CHANGES);
    await git(bench.repo, 'merge', '--quiet', commit);
    const before = await wholeState(bench.repo);
    assert.equal(await apply(commit), false);
    assert.deepEqual(await wholeState(bench.repo), before);
  });

  for (const path of ['docs/index.md', 'src/retry.ts', 'latin1.md']) {
    it(`keeps what the user saves in the meantime to ${path}, and changes nothing`, async () => {
      const commit = await bench.work(CHANGES);
      const before = await wholeState(bench.repo);
      const save = async (args: string[]): Promise<void> => {
        if (args.includes('--check') && !args.includes('--reverse')) {
          await writeFile(join(bench.repo, path), 'saved meanwhile\n');
        }
      };
      await assert.rejects(apply(commit, base, save), GitError);
      assert.equal(await readFile(join(bench.repo, path), 'utf8'), 'saved meanwhile\n');
      const { [path]: saved, ...others } = await wholeState(bench.repo);
      const { [path]: old, ...same } = before;
      assert.deepEqual([others, saved === old], [same, false]);
    });
  }

  it('writes the line endings that the user has configured', async () => {
    const commit = await bench.work('echo more >> docs/index.md; echo new > new.md');
    await bench.shell('git config core.autocrlf true; rm docs/index.md; git checkout --quiet docs/index.md');
    assert.equal(await apply(commit), true);
    assert.match(await readFile(join(bench.repo, 'docs/index.md'), 'utf8'), /^([^\n]*\r\n)+more\r\n$/);
    assert.equal(await readFile(join(bench.repo, 'new.md'), 'utf8'), 'new\r\n');
  });

  it('passes the content through the user’s filters', async () => {
    const commit = await bench.work('echo more >> docs/index.md; echo new > new.md');
    await bench.shell(`git config filter.x.clean 'sed s/^!//'; git config filter.x.smudge 'sed s/^/!/'`);
    await bench.shell(
      `echo '*.md filter=x' > .git/info/attributes; rm docs/index.md; git checkout --quiet docs/index.md`,
    );
    assert.equal(await apply(commit), true);
    assert.match(await readFile(join(bench.repo, 'docs/index.md'), 'utf8'), /^(![^\n]*\n)+!more\n$/);
    assert.equal(await readFile(join(bench.repo, 'new.md'), 'utf8'), '!new\n');
  });

  it('replaces a link with a folder that has a file of the linked folder, and a folder with a link', async () => {
    await bench.shell('ln -s ../elsewhere link; mkdir -p a/b ../elsewhere; echo old > ../elsewhere/x; echo x > a/b/x');
    await bench.shell('git add .; git commit --quiet -m Before');
    base = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
    const commit = await bench.work('rm -r link a; mkdir link; echo new > link/x; ln -s docs a');
    await bench.shell('echo mine > a/mine');
    const before = await wholeState(bench.folder);
    await assert.rejects(apply(commit), GitError);
    assert.deepEqual(await wholeState(bench.folder), before);
    await bench.shell('rm a/mine');
    assert.equal(await apply(commit), true);
    await git(bench.repo, 'add', '--all');
    assert.equal(await git(bench.repo, 'diff', '--cached', commit), '');
    assert.equal(await readFile(join(bench.folder, 'elsewhere/x'), 'utf8'), 'old\n');
  });

  it('applies a file whose name isn’t UTF-8, and thousands of others', async () => {
    const commit = await bench.work(
      "echo x > $(printf 'caf\\351.md'); mkdir many; cd many; seq -f %.0f.md 3000 | xargs touch; cd ..",
    );
    assert.equal(await apply(commit), true);
    await git(bench.repo, 'add', '--all');
    assert.equal(await git(bench.repo, 'diff', '--cached', '--name-only', commit), '');
    assert.equal((await stat(join(bench.repo, 'many/3000.md'))).size, 0);
  });
});
