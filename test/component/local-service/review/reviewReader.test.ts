import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from '../../../../src/git/git';
import { MAX_DIFF_BYTES, MAX_FILES, ReviewReader } from '../../../../src/local-service/review/reviewReader';
import { UserRepository } from '../../../../src/local-service/git/userRepository';
import type { Job, Project } from '../../../../src/local-service/store/jobStore';
import { BRANCH, createMergeFixture, JOB, type MergeFixture } from '../../../support/mergeFixture';
import { sampleJob, sampleTurn, claim, createTurn, followUp, openStore } from '../../../support/sampleTurn';
import { createSampleRepository, git, temporaryFolder } from '../../../support/temporaryRepository';
import { PLAIN_DIFF } from '../../../../src/git/diff';
import { toChangedFiles, WORD_DIFF } from '../../../../src/local-service/review/changedWords';
import { JobLocks } from '../../../../src/local-service/jobs/jobLocks';
import { MergeRefusal } from '../../../../src/local-service/review/mergeTarget';
import { reviewActions } from '../../../../src/local-service/review/reviewActions';
import { projectSettingsSchema } from '../../../../src/protocol/localService';
import { notOnWindows } from '../../../support/machine';

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

  it('shows the picture that a pointer of Git LFS stands for, if it is on this machine and whole', async () => {
    const bench = await createMergeFixture();
    const base = await bench.commit('HEAD');
    const id = createHash('sha256').update('picture').digest('hex');
    const publishedCommit = await bench.work(
      `printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:${id}\\nsize 7\\n' > a.png`,
    );
    const reader = new ReviewReader({
      git: new Git(process.env),
      store: {
        project: async () => ({ folder: bench.repo }) as Project,
        turns: async () => [],
        activity: async () => [],
      },
      jobsFolder: join(bench.folder, 'jobs'),
    });
    const job = { ...sampleJob({ id: JOB, branch: BRANCH, baseCommit: base, baseBranch: 'main' }), publishedCommit };
    const image = async () =>
      reader.image(job as unknown as Job, { path: 'a.png', of: 'commit' }, AbortSignal.timeout(20_000));
    assert.equal(await image(), null);
    await bench.shell(`mkdir -p .git/lfs/objects/${id.slice(0, 2)}/${id.slice(2, 4)}`);
    const object = join(bench.repo, '.git/lfs/objects', id.slice(0, 2), id.slice(2, 4), id);
    await writeFile(object, 'pictur');
    assert.equal(await image(), null);
    await writeFile(object, 'picture');
    assert.equal(await image(), Buffer.from('picture').toString('base64'));
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

describe('the changed words of the review page', () => {
  /** What the page shows of the changes between two scripts: the notes and the hunks of each file. */
  async function shown(before: string, after: string, ...kinds: string[]): Promise<[notes: string, hunks: string][]> {
    const folder = await temporaryFolder();
    const shell = (script: string): Promise<string> => git(folder, '-c', `alias.x=!set -e; ${script}`, 'x');
    await git(folder, 'init', '--quiet');
    await shell(`${before}; git add --all; git commit --quiet -m Before; ${after}; git add --all`);
    const diff = await git(folder, '-c', 'core.fileMode=true', ...PLAIN_DIFF, ...WORD_DIFF, '--cached');
    const files = toChangedFiles(
      diff,
      kinds.map((status) => ({ status })),
    );
    return files.map(({ notes, hunks }) => [notes.join(', '), hunks.join('|')]);
  }
  const line = (before: string, after: string) =>
    shown(`printf '${before}' > a.md`, `printf '${after}' > a.md`, 'M').then((files) => files[0]?.[1]);

  it('marks words, punctuation, indentation, and line endings, and escapes text', async () => {
    for (const [before, after, hunk] of [
      ['It waits.\\n', 'It waits, twice.\\n', 'It waits<ins>, twice</ins>.\n'],
      ['one\\nold <b>\\n', 'one\\n', 'one\n<del>old &lt;b&gt;</del>\n'],
      ['Grüße, é\\n', 'Grüßt, è\\n', '<del>Grüße</del><ins>Grüßt</ins>, <del>é</del><ins>è</ins>\n'],
      ['a:\\n  b\\n', 'a:\\n    b\\n', 'a:\n<del>  </del><ins>    </ins>b\n'],
      ['one\\r\\n', 'one\\n', 'one<del>⟨U+000D⟩</del>\n'],
      ['one\\r\\n', 'two\\r\\n', '<del>one</del><ins>two</ins>\n'],
      ['~\\n@@ -1 +1 @@\\n', '~\\n@@ -1 +2 @@\\n', '~\n@@ -1 +<del>1</del><ins>2</ins> @@\n'],
      ['a\\n', 'a\\ndiff --git a/x b/x\\n', 'a\n<ins>diff --git a/x b/x</ins>\n'],
      ['a\\n', 'a\\rb\\342\\200\\250diff --git\\n', 'a<ins>⟨U+000D⟩b⟨U+2028⟩diff --git</ins>\n'],
      ['a\\n', 'a\\342\\200\\213\\n', '<del>a</del><ins>a⟨U+200B⟩</ins>\n'],
    ] as const) {
      assert.equal(await line(before, after), hunk, before);
    }
  });

  it('says what the text doesn’t show: modes, names, links, and binary files', async () => {
    const before = 'echo x > off; chmod +x off; echo long text > old; echo x > became; echo x > gone; ln -s a link';
    const after = `chmod -x off; mv old 'new "name"'; ln -sf off became; rm gone; printf "\\0\\1" > a.png; ln -sf b link`;
    assert.deepEqual(await shown(before, after, 'A', 'T', 'D', 'M', 'R', 'M'), [
      ['new, binary', ''],
      ['deleted, new file mode 120000', '<del>x</del>\n|<ins>off</ins>\n'],
      ['deleted', '<del>x</del>\n'],
      ['', '<del>a</del><ins>b</ins>\n'],
      ['rename from old', ''],
      ['old mode 100755, new mode 100644', ''],
    ]);
  });
});

describe('reviewActions', function () {
  notOnWindows();

  const openBench = async () => {
    const bench = await createMergeFixture();
    const base = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
    const commit = await bench.work('echo more >> docs/index.md');
    const store = await openStore(`${await temporaryFolder()}/service.db`);
    await store.putProject({ id: 'p1', name: 'x', folder: bench.repo, settings: projectSettingsSchema.parse({}) });
    const job = sampleJob({ id: JOB, baseCommit: base, baseBranch: 'main' });
    const turn = await claim(store, await createTurn(store, job, 'x'));
    await store.recordCommit(turn, commit, null);
    await store.finishTurn(turn, 'done');
    const disk = { isFull: false };
    const fail = () => {
      if (disk.isFull) {
        throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      }
    };
    const actions = reviewActions({
      git: new Git(process.env),
      store: {
        project: (id) => store.project(id),
        turns: (id) => store.turns(id),
        jobWithTurns: (id) => store.jobWithTurns(id),
        setReview: async (id, review) => (fail(), store.setReview(id, review)),
        reopenMerged: async (id) => (fail(), store.reopenMerged(id)),
        changeJob: (id, found) => store.changeJob(id, found),
      },
      repository: new UserRepository(new Git(process.env)),
      locks: new JobLocks(),
    });
    return { bench, base, commit, store, disk, actions, stored: (await store.job(JOB))! };
  };
  const refused = (work: Promise<unknown>, says: RegExp) =>
    assert.rejects(work, (error) => {
      assert.ok(error instanceof MergeRefusal, String(error));
      assert.match(error.message, says);
      return true;
    });

  it('says that the work was merged when the disk is too full to record it, and records it on the next try', async () => {
    const { bench, commit, store, disk, actions, stored } = await openBench();
    try {
      disk.isFull = true;
      const { into, head } = await bench.preview();
      await refused(
        actions.merge(stored, { commit, into, head }),
        /^The work was merged into “main”, .*: database or disk is full\. .*try again/,
      );
      assert.match(await git(bench.repo, 'show', 'main:docs/index.md'), /more\n$/);
      disk.isFull = false;
      assert.equal((await actions.merge(stored, { commit, into, head })).branch, 'main');
      assert.equal((await git(bench.repo, 'rev-list', '--count', `${head}..main`)).trim(), '1');
      assert.equal((await store.job(JOB))?.review, 'merged');
    } finally {
      await store.close();
    }
  });

  it('undoes a merge and reopens the job, even if that could not be recorded at first', async () => {
    const { bench, base, commit, store, disk, actions, stored } = await openBench();
    try {
      const { into, head } = await bench.preview();
      await actions.merge(stored, { commit, into, head });
      disk.isFull = true;
      await refused(actions.undoMerge(stored), /^The merge was undone, but .*disk is full.*try again/);
      assert.equal((await git(bench.repo, 'rev-parse', 'main')).trim(), base);
      disk.isFull = false;
      assert.deepEqual(await actions.undoMerge(stored), { branch: null });
      assert.equal((await store.job(JOB))?.review, null);
      assert.deepEqual(await actions.undoMerge(stored), { branch: null });
      await actions.merge(stored, { commit, into, head });
      assert.equal((await store.job(JOB))?.review, 'merged');
    } finally {
      await store.close();
    }
  });

  it('undoes a merge after a follow-up that changed nothing', async () => {
    const { bench, base, commit, store, actions, stored } = await openBench();
    try {
      const { into, head } = await bench.preview();
      await actions.merge(stored, { commit, into, head });
      await store.finishTurn(await claim(store, await followUp(store, JOB, 'Anything else?')), 'done');
      assert.equal((await store.job(JOB))?.review, null);
      assert.deepEqual(await actions.undoMerge(stored), { branch: 'main' });
      assert.equal((await git(bench.repo, 'rev-parse', 'main')).trim(), base);
    } finally {
      await store.close();
    }
  });
});
