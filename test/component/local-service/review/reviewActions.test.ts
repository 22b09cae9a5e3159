import assert from 'node:assert/strict';
import { Git } from '../../../../src/git/git';
import { JobLocks } from '../../../../src/local-service/jobs/jobOperations';
import { MergeRefusal } from '../../../../src/local-service/review/mergeTarget';
import { reviewActions } from '../../../../src/local-service/review/reviewActions';
import { SqliteJobStore } from '../../../../src/local-service/store/sqliteJobStore';
import { projectSettingsSchema } from '../../../../src/protocol/localService';
import { JOB, createMergeFixture } from '../../../support/mergeFixture';
import { claim, createTurn, sampleJob } from '../../../support/sampleTurn';
import { git, temporaryFolder } from '../../../support/temporaryRepository';

describe('merging from the review page', function () {
  this.timeout(120_000);
  before(function () {
    if (process.platform === 'win32' || (process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });

  it('says that the work was merged when the disk is too full to record it, and records it at the next try', async () => {
    const bench = await createMergeFixture();
    const base = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
    const commit = await bench.work('echo more >> docs/index.md');
    const store = SqliteJobStore.open(`${await temporaryFolder()}/service.db`);
    try {
      await store.putProject({ id: 'p1', name: 'x', folder: bench.repo, settings: projectSettingsSchema.parse({}) });
      const job = sampleJob({ id: JOB, baseCommit: base, baseBranch: 'main' });
      const turn = await claim(store, await createTurn(store, job, 'x'));
      await store.recordCommit(turn, commit, null);
      await store.finishTurn(turn, 'done');
      let isFull = true;
      const actions = reviewActions({
        git: new Git(process.env),
        store: {
          project: (id) => store.project(id),
          turns: (id) => store.turns(id),
          jobWithTurns: (id) => store.jobWithTurns(id),
          setReview: async (id, review) => {
            if (isFull) {
              throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
            }
            return store.setReview(id, review);
          },
        },
        repository: { identity: () => Promise.resolve({ name: 'Robin Example', email: 'robin@example.org' }) },
        locks: new JobLocks(),
        jobs: { sendMessage: () => assert.fail('a message was sent') },
        checks: { isRunning: () => false },
      });
      const stored = (await store.job(JOB))!;
      const { into, head } = await bench.outlook();
      await assert.rejects(actions.merge(stored, { commit, into, head }), (error) => {
        assert.ok(error instanceof MergeRefusal, String(error));
        assert.match(error.message, /^The work was merged into “main”, .*: database or disk is full\. .*try again/);
        return true;
      });
      assert.match(await git(bench.repo, 'show', 'main:docs/index.md'), /more\n$/);
      isFull = false;
      assert.deepEqual(await actions.merge(stored, { commit, into, head }), {
        ...{ kind: 'already', branch: 'main' },
        deleted: { branch: 'docs-agent/j1', commit },
      });
      assert.equal((await store.job(JOB))?.review, 'merged');
    } finally {
      await store.close();
    }
  });
});
