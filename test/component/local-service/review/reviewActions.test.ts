import assert from 'node:assert/strict';
import { Git } from '../../../../src/git/git';
import { JobLocks } from '../../../../src/local-service/jobs/jobLocks';
import { MergeRefusal } from '../../../../src/local-service/review/mergeTarget';
import { reviewActions } from '../../../../src/local-service/review/reviewActions';
import { claim, createTurn, followUp, openStore, sampleJob } from '../../../support/sampleTurn';
import { projectSettingsSchema } from '../../../../src/protocol/localService';
import { JOB, createMergeFixture } from '../../../support/mergeFixture';
import { git, temporaryFolder } from '../../../support/temporaryRepository';

describe('reviewActions', function () {
  before(function () {
    if (process.platform === 'win32' || (process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });

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
      },
      repository: { identity: () => Promise.resolve({ name: 'Robin Example', email: 'robin@example.org' }) },
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
