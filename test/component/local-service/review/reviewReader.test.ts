import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from '../../../../src/git/git';
import { MAX_DIFF_BYTES, MAX_FILES, ReviewReader } from '../../../../src/local-service/review/reviewReader';
import type { Job, Project } from '../../../../src/local-service/store/jobStore';
import { BRANCH, createMergeFixture, JOB, type MergeFixture } from '../../../support/mergeFixture';
import { sampleJob, sampleTurn } from '../../../support/sampleTurn';
import { createSampleRepository, git, temporaryFolder } from '../../../support/temporaryRepository';

describe('ReviewReader', function () {
  it('shows a diff up to a maximum size, and what the agent said last', async () => {
    const home = await temporaryFolder();
    const folder = join(home, 'repository');
    await createSampleRepository(folder);
    const project = { folder } as Project;
    const at = new Date(0).toISOString();
    const events = ['First words', 'Last words'].map((text, id) => ({
      ...{ id: id + 1, turn: 1, at },
      entry: { kind: 'message' as const, text },
    }));
    const reader = new ReviewReader({
      git: new Git(process.env),
      store: {
        project: async () => project,
        turns: async () => [],
        activity: async (_, after) => events.filter(({ id }) => id > after),
      },
      jobsFolder: join(home, 'jobs'),
    });
    const head = async (): Promise<string> => (await git(folder, 'rev-parse', 'HEAD')).trim();
    const job: Partial<Job> = {
      id: 'j1',
      projectId: 'p',
      branch: 'docs-agent/j1',
      repository: '',
      baseBranch: 'main',
      prLink: null,
      note: null,
      review: null,
    };
    const baseCommit = await head();
    for (const [bytes, isShown] of [
      [MAX_DIFF_BYTES - 1_000, true],
      [MAX_DIFF_BYTES, false],
    ] as const) {
      await writeFile(join(folder, 'many.md'), 'x'.repeat(bytes));
      await git(folder, 'add', '.');
      await git(folder, 'commit', '--quiet', '-m', 'Many');
      const page = await reader.page({ ...job, baseCommit, publishedCommit: await head() } as Job);
      assert.equal(page?.html.includes('too large to show'), !isShown);
      assert.equal(page.html.includes('<article'), isShown);
      // An agent that only prints text provides no summary.
      assert.match(page.html, /<div class="said">Last words<\/div>/);
    }
  });

  it('lists a limited number of files, and counts the others', async () => {
    const bench = await createMergeFixture();
    const count = MAX_FILES + 2;
    await mkdir(join(bench.folder, 'many'));
    for (let index = 0; index < count; index += 1) {
      await writeFile(join(bench.folder, 'many', `${index}.md`), 'One\nTwo\n');
    }
    const base = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
    const commit = await bench.work(`cp -r '${bench.folder}/many' .`);
    const job = { ...sampleJob({ id: JOB, branch: BRANCH, baseCommit: base, baseBranch: 'main' }) };
    const reader = new ReviewReader({
      git: new Git(process.env),
      store: {
        project: async () => ({ folder: bench.repo }) as Project,
        turns: async () => [],
        activity: async () => [],
      },
      jobsFolder: join(bench.folder, 'jobs'),
    });
    const own = { ...job, publishedCommit: commit, prLink: null, review: null } as unknown as Job;
    const page = await reader.page(own);
    assert.equal(page?.html.match(/<li><span class="path">many\//g)?.length, MAX_FILES);
    assert.match(page.html, /<li>Files that aren’t listed: 2 <span class="counts".*?\+4</);
    assert.match(page.html, new RegExp(`${count} files changed <span.*?\\+${2 * count}<`));
    assert.match(page.html, /too large to show/);
  });

  describe('after a follow-up', () => {
    const turns = [sampleTurn({ prompt: 'One' }), sampleTurn({ prompt: 'Two' })];
    /** The lines that the page, the list of files and the text show as added. */
    async function added(bench: MergeFixture, base: string, before = base): Promise<string[]> {
      const commit = await bench.commit(BRANCH).catch(() => bench.commit(`refs/docs-agent/merged/${JOB}`));
      const reader = new ReviewReader({
        git: new Git(process.env),
        store: {
          project: async () => ({ folder: bench.repo }) as Project,
          turns: async () => turns,
          activity: async () => [],
        },
        jobsFolder: join(bench.folder, 'jobs'),
      });
      const job = { ...sampleJob({ id: JOB, branch: BRANCH, baseCommit: base, baseBranch: 'main' }) };
      const own = {
        ...job,
        publishedCommit: commit,
        prLink: null,
        note: null,
        leftOut: null,
        review: null,
      } as unknown as Job;
      const signal = AbortSignal.timeout(20_000);
      const [changes, { files }, page] = await Promise.all([
        reader.changes(own, signal),
        reader.diff(own, signal),
        reader.page(own),
      ]);
      assert.deepEqual([changes.base, changes.commit], [before, commit]);
      const lines = files.flatMap(({ patch }) => patch.match(/^\+(?!\+).*$/gm) ?? []);
      assert.equal(changes.added, lines.length);
      for (const word of ['first', 'second']) {
        assert.equal(page?.html.includes(`${word} line`), lines.includes(`+${word} line`), word);
      }
      assert.equal(
        />[^<]*<ins>first line/.test(page?.html ?? ''),
        lines.includes('+first line'),
        'lines around the change',
      );
      return lines;
    }
    const setUp = async () => {
      const bench = await createMergeFixture();
      const base = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
      const first = await bench.work('echo first line >> docs/index.md');
      return { bench, base, first };
    };
    const MORE = 'echo second line > docs/second.md';

    it('shows the same diff whatever the user’s settings, attributes, and replaced objects are', async () => {
      const { bench, base, first } = await setUp();
      await bench.shell(`git config diff.context 0; echo '* -diff' > .gitattributes; git replace ${first} ${base}`);
      assert.deepEqual(await added(bench, base), ['+first line']);
    });

    it('shows only what has not been merged', async () => {
      const { bench, base, first } = await setUp();
      await bench.merge();
      assert.deepEqual(await added(bench, base), ['+first line']);
      await bench.more(MORE);
      assert.deepEqual(await added(bench, base, first), ['+second line']);
      await bench.shell('echo mine > mine.md; git add .; git commit --quiet -m Mine');
      assert.deepEqual(await added(bench, base, first), ['+second line']);
      await bench.merge();
      assert.deepEqual(await added(bench, base), ['+first line', '+second line']);
      await bench.shell('git reset --quiet --hard HEAD~3');
      assert.deepEqual(await added(bench, base), ['+first line', '+second line']);
    });

    it('shows only what has not been merged when the user merged with git', async () => {
      const { bench, base, first } = await setUp();
      await bench.shell(`git merge --quiet --no-ff --no-edit ${BRANCH}`);
      await bench.more(MORE);
      assert.deepEqual(await added(bench, base, first), ['+second line']);
    });

    it('shows everything while there is no branch to merge into', async () => {
      const { bench, base } = await setUp();
      await bench.merge();
      await bench.more(MORE);
      await bench.shell('git checkout --quiet --orphan other; git branch --quiet -D main');
      assert.deepEqual(await added(bench, base), ['+first line', '+second line']);
    });
  });
});
