import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyChanges, type ApplyRefusal } from '../../../src/git/applyChanges';
import { withUserFileSettings } from '../../../src/git/disableRepositoryPrograms';
import { Git } from '../../../src/git/git';
import { notOnWindows } from '../../support/notOnWindows';
import { createMergeFixture, type MergeFixture, wholeState } from '../../support/mergeFixture';
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

  const apply = async (
    commit: string,
    unsaved: readonly string[] = [],
    from = base,
  ): Promise<string[] | ApplyRefusal> => {
    const runner = new Git(process.env);
    const place = await withUserFileSettings(runner, bench.repo);
    return applyChanges({ git: runner, place, base: from, commit, isUnsaved: (path) => unsaved.includes(path) });
  };

  it('changes exactly the files of the job, and neither the index nor a branch', async () => {
    const commit = await bench.work(CHANGES);
    await bench.shell('echo mine > mine.md; git add .; git commit --quiet -m Mine; echo staged > s.md; git add s.md');
    await bench.shell('echo own >> docs/getting-started.md');
    const refs = await git(bench.repo, 'for-each-ref');
    assert.deepEqual(await apply(commit), FILES);
    assert.equal(await git(bench.repo, 'diff', '--cached', '--name-only'), 's.md\n');
    assert.equal(await git(bench.repo, 'for-each-ref'), refs);
    assert.match(await readFile(join(bench.repo, 'docs/getting-started.md'), 'utf8'), /own\n$/);
    assert.equal(((await apply(commit)) as ApplyRefusal).reason, 'uncommitted', 'a second time');
    await git(bench.repo, 'add', '--all', '--', ...FILES);
    assert.equal(await git(bench.repo, 'diff', '--cached', commit, '--', ...FILES), '');
  });

  it('combines them with what the branch has changed elsewhere in the same file', async () => {
    const commit = await bench.work('echo more >> docs/getting-started.md');
    await bench.shell('sed -i 1s/.*/Changed/ docs/getting-started.md; git commit --quiet -am Mine');
    assert.deepEqual(await apply(commit), ['docs/getting-started.md']);
    assert.match(await readFile(join(bench.repo, 'docs/getting-started.md'), 'utf8'), /^Changed\n[^]*\nmore\n$/);
  });

  it('does not apply the commits that the job is based on to a branch without them', async () => {
    await bench.shell(
      'git checkout --quiet -b other; echo half > half.md; git add .; git commit --quiet -m Unfinished',
    );
    const from = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
    const commit = await bench.work('echo more >> docs/index.md');
    await bench.shell('git checkout --quiet main');
    assert.deepEqual(await apply(commit, [], from), ['docs/index.md']);
    assert.equal(await git(bench.repo, 'status', '--porcelain'), ' M docs/index.md\n');
  });

  it('does not bring back work that was merged before and then reverted', async () => {
    const first = await bench.work('echo unwanted >> docs/index.md');
    await bench.merge();
    await git(bench.repo, 'revert', '--no-edit', 'HEAD');
    const next = await bench.more('echo more >> docs/getting-started.md');
    assert.deepEqual(await apply(next, [], first), ['docs/getting-started.md']);
    assert.equal(await git(bench.repo, 'status', '--porcelain'), ' M docs/getting-started.md\n');
  });

  const EDIT = 'echo more >> docs/index.md; echo new > new.md; mkdir notes; echo new > notes/a.md';
  const refused: [string, string, ApplyRefusal][] = [
    [
      'a file has uncommitted changes',
      'echo mine >> docs/index.md',
      { reason: 'uncommitted', paths: ['docs/index.md'] },
    ],
    [
      'git was told to take a changed file as unchanged',
      'git update-index --assume-unchanged docs/index.md; echo mine >> docs/index.md',
      { reason: 'uncommitted', paths: ['docs/index.md'] },
    ],
    [
      'git was told to skip a changed file',
      'git update-index --skip-worktree docs/index.md; echo mine >> docs/index.md',
      { reason: 'uncommitted', paths: ['docs/index.md'] },
    ],
    ['a file is in the place of a new folder', 'echo mine > notes', { reason: 'inTheWay', paths: ['notes'] }],
    ['a file is staged', 'echo x >> docs/index.md; git add .', { reason: 'uncommitted', paths: ['docs/index.md'] }],
    ['an untracked file is in the way', 'echo mine > new.md', { reason: 'inTheWay', paths: ['new.md'] }],
    [
      'an ignored file is in the way',
      'echo new.md > .git/info/exclude; echo mine > new.md',
      { reason: 'inTheWay', paths: ['new.md'] },
    ],
    [
      'both sides changed a line',
      'echo other >> docs/index.md; git commit --quiet -am Other',
      { reason: 'conflicts', paths: ['docs/index.md'] },
    ],
    [
      'a filter has to convert a file',
      "echo 'new.md filter=lfs' > .gitattributes",
      { reason: 'filtered', paths: ['new.md'] },
    ],
    [
      'the user’s own attributes name a filter',
      "echo 'new.md filter=lfs' > ../attributes; git config core.attributesFile ../attributes",
      { reason: 'filtered', paths: ['new.md'] },
    ],
    [
      'a file is outside of the sparse checkout',
      'git sparse-checkout set --no-cone src',
      { reason: 'conflicts', paths: ['docs/index.md'] },
    ],
    ['the branch has the changes', 'git merge --quiet docs-agent/j1', { reason: 'nothing', paths: [] }],
  ];
  for (const [when, script, refusal] of refused) {
    it(`changes nothing when ${when}`, async () => {
      const commit = await bench.work(EDIT);
      await bench.shell(script);
      await git(bench.repo, 'status');
      const before = await wholeState(bench.repo);
      assert.deepEqual(await apply(commit), refusal);
      assert.deepEqual(await wholeState(bench.repo), before);
    });
  }

  const SAVED: [string, string, ApplyRefusal][] = [
    ['a changed file', 'docs/index.md', { reason: 'uncommitted', paths: ['docs/index.md'] }],
    ['a removed file', 'src/retry.ts', { reason: 'uncommitted', paths: ['src/retry.ts'] }],
    ['a file at the path of a new one', 'latin1.md', { reason: 'inTheWay', paths: ['latin1.md'] }],
  ];
  for (const [what, path, refusal] of SAVED) {
    it(`keeps what the user saves in the meantime to ${what}, and changes nothing`, async () => {
      const commit = await bench.work(CHANGES);
      const before = await wholeState(bench.repo);
      class SlowGit extends Git {
        override async run(...args: Parameters<Git['run']>): Promise<string> {
          const printed = await super.run(...args);
          if (args[1][0] === 'checkout-index') {
            await writeFile(join(bench.repo, path), 'saved meanwhile\n');
          }
          return printed;
        }
      }
      const runner = new SlowGit(process.env);
      const place = await withUserFileSettings(runner, bench.repo);
      assert.deepEqual(await applyChanges({ git: runner, place, base, commit, isUnsaved: () => false }), refusal);
      assert.equal(await readFile(join(bench.repo, path), 'utf8'), 'saved meanwhile\n');
      const { [path]: saved, ...others } = await wholeState(bench.repo);
      const { [path]: old, ...same } = before;
      assert.deepEqual([others, saved === old], [same, false]);
    });
  }

  it('writes the line endings that the user has configured', async () => {
    const commit = await bench.work('echo more >> docs/index.md; echo new > new.md');
    await bench.shell('git config core.autocrlf true; rm docs/index.md; git checkout --quiet docs/index.md');
    assert.deepEqual(await apply(commit), ['docs/index.md', 'new.md']);
    assert.match(await readFile(join(bench.repo, 'docs/index.md'), 'utf8'), /^([^\n]*\r\n)+more\r\n$/);
    assert.equal(await readFile(join(bench.repo, 'new.md'), 'utf8'), 'new\r\n');
  });

  it('changes nothing while an editor has unsaved changes, or when a folder became a link', async () => {
    const commit = await bench.work(EDIT);
    const before = await wholeState(bench.repo);
    assert.deepEqual(await apply(commit, ['docs/index.md']), { reason: 'unsaved', paths: ['docs/index.md'] });
    assert.deepEqual(await wholeState(bench.repo), before);
    await bench.shell('mv docs ../elsewhere; ln -s ../elsewhere docs');
    const index = await readFile(join(bench.folder, 'elsewhere/index.md'), 'utf8');
    assert.ok(!Array.isArray(await apply(commit)));
    assert.equal(await readFile(join(bench.folder, 'elsewhere/index.md'), 'utf8'), index);
  });

  it('writes nothing through a link that took the place of a folder', async () => {
    const commit = await bench.work('echo more >> docs/index.md; git rm --quiet src/retry.ts');
    const hide = (name: string): string =>
      `git ls-files -z ${name} | xargs -0 git update-index --assume-unchanged; mv ${name} ../; ln -s ../${name} ${name}`;
    await bench.shell(`${hide('docs')}; ${hide('src')}`);
    const before = await wholeState(bench.folder);
    assert.deepEqual(await apply(commit), { reason: 'inTheWay', paths: ['docs', 'src'] });
    assert.deepEqual(await wholeState(bench.folder), before);
  });

  it('replaces a link with a folder that has a file of the linked folder, and a folder with a link', async () => {
    await bench.shell('ln -s ../elsewhere link; mkdir -p a/b ../elsewhere; echo old > ../elsewhere/x; echo x > a/b/x');
    await bench.shell('git add .; git commit --quiet -m Before');
    base = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
    const commit = await bench.work('rm -r link a; mkdir link; echo new > link/x; ln -s docs a');
    await bench.shell('echo mine > a/mine');
    assert.deepEqual(await apply(commit), { reason: 'inTheWay', paths: ['a/mine'] });
    await bench.shell('rm a/mine');
    assert.deepEqual(await apply(commit), ['a', 'a/b/x', 'link', 'link/x']);
    await git(bench.repo, 'add', '--all');
    assert.equal(await git(bench.repo, 'diff', '--cached', commit), '');
    assert.equal(await readFile(join(bench.folder, 'elsewhere/x'), 'utf8'), 'old\n');
  });

  it('keeps a file private', async () => {
    const commit = await bench.work('echo more >> docs/index.md; chmod +x README.md');
    await bench.shell('chmod 600 docs/index.md; chmod 640 README.md');
    assert.deepEqual(await apply(commit), ['README.md', 'docs/index.md']);
    const modes = ['README.md', 'docs/index.md'].map(async (path) => (await stat(join(bench.repo, path))).mode & 0o777);
    assert.deepEqual(await Promise.all(modes), [0o750, 0o600]);
  });

  it('detects a change that git itself is configured to miss', async () => {
    const commit = await bench.work('echo more >> docs/index.md');
    await bench.shell('git config core.checkStat minimal; git config core.trustctime false');
    await bench.shell('touch -d 2020-01-01 docs/index.md; git update-index --refresh');
    await bench.shell('sed -i 1s/./X/ docs/index.md; touch -d 2020-01-01 docs/index.md');
    assert.deepEqual(await apply(commit), { reason: 'uncommitted', paths: ['docs/index.md'] });
  });

  it('detects a filter in git’s default file for attributes', async () => {
    const commit = await bench.work(EDIT);
    await bench.shell("mkdir -p ../settings/git; echo 'new.md filter=lfs' > ../settings/git/attributes");
    const runner = new Git({ ...process.env, XDG_CONFIG_HOME: join(bench.folder, 'settings') });
    const place = await withUserFileSettings(runner, bench.repo);
    const result = await applyChanges({ git: runner, place, base, commit, isUnsaved: () => false });
    assert.deepEqual(result, { reason: 'filtered', paths: ['new.md'] });
  });

  it('refuses more files than it can check and write in a reasonable time', async () => {
    const commit = await bench.work(
      'mkdir many; cd many; seq -f %.0f-a-page-of-the-documentation.md 5000 | xargs touch; cd ..',
    );
    assert.deepEqual(await apply(commit), { reason: 'tooMany', paths: [] });
    assert.equal(await git(bench.repo, 'status', '--porcelain'), '');
  });

  it('refuses a file whose name isn’t UTF-8', async () => {
    const commit = await bench.work("echo x > $(printf 'caf\\351.md')");
    await assert.rejects(apply(commit), /The name “caf\uFFFD.md” isn’t valid UTF-8/);
    assert.equal(await git(bench.repo, 'status', '--porcelain'), '');
  });

  it('runs no program that the repository configures', async () => {
    const commit = await bench.work(EDIT);
    const mark = join(bench.folder, 'ran');
    await bench.shell(
      `git config filter.x.clean 'touch ${mark}; cat'; git config filter.x.smudge 'touch ${mark}; cat'`,
    );
    await bench.shell(`git config core.fsmonitor 'touch ${mark}'; git config diff.external 'touch ${mark}'`);
    await writeFile(join(bench.repo, '.gitattributes'), '*.txt filter=x\n');
    assert.deepEqual(await apply(commit), ['docs/index.md', 'new.md', 'notes/a.md']);
    await assert.rejects(readFile(mark), /ENOENT/);
  });
});
