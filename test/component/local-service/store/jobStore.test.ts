import assert from 'node:assert/strict';
import { ClaimLost, type Claim, type Turn } from '../../../../src/local-service/store/jobStore';
import { projectSettingsSchema } from '../../../../src/protocol/localService';
import { claim, createTurn, customAgent, followUp, NO_LIMIT, sampleJob } from '../../../support/sampleTurn';
import { plain } from '../../../support/codedText';
import { type AnyStore, type Database, STORE_BACKENDS } from '../../../support/storeBackends';

const HOUR_MS = 3_600_000;
const project = { id: 'p1', name: 'docs', folder: '/docs' };

for (const backend of STORE_BACKENDS) {
  describe(`job store in ${backend.name}`, function () {
    let database: Database;
    let store: AnyStore;
    let now: number;
    const open = async (): Promise<void> => {
      store = await database.open(() => now);
    };
    before(async function () {
      const why = await backend.missing();
      if (why !== undefined) {
        console.log(`      skipped: ${why}`);
        this.skip();
      }
    });
    beforeEach(async () => {
      now = 5000;
      database = await backend.create();
      await open();
      await store.putProject({ ...project, settings: customAgent(['a', 'b c']) });
    });
    afterEach(async () => {
      await store.close();
      await database.remove();
    });

    const create = (prompt = 'x', id = 'j1'): Promise<Turn> => createTurn(store, sampleJob({ id }), prompt);
    const states = async (jobId = 'j1') => (await store.turns(jobId)).map(({ state }) => state);
    /** The states in the activity log. */
    const told = async (jobId = 'j1') =>
      (await store.activity(jobId, 0, 100)).flatMap(({ entry }) => (entry.kind === 'state' ? [entry.state] : []));

    it('returns everything after a restart that was stored before', async () => {
      const turn = await claim(store, await create('prompt 🗼'));
      now = 6000;
      const base = { baseCommit: 'abc', baseBranch: 'main' };
      const session = { session: 's1', sessionAgent: 'other', sessionTurn: turn.id };
      const agent = { agentPid: 42, agentStartTime: '100' };
      const usage = { session: 's1', tokens: 12_345, cost: { amount: 0.12, currency: 'USD' } };
      const pushed = { pushedCommit: 'def', pushedTo: 'https://example.org/docs.git' };
      const publication = { prLink: 'https://example.org/1', note: plain('n'), ...pushed };
      await store.recordCommit(turn, 'def', { files: 1, added: 2, deleted: 3 });
      await store.record(turn, { ...base, ...session, ...agent, ...publication, model: 'other', leftOut: plain('l') });
      await store.record(turn, { usage });
      await store.close();
      await open();
      assert.deepEqual(await store.project('p1'), {
        ...project,
        gitDir: null,
        settings: projectSettingsSchema.parse({ agent: 'custom', command: ['a', 'b c'] }),
      });
      const { id, projectId, branch, repository } = sampleJob();
      const stored = {
        ...{ id, projectId, branch, repository, model: 'other', leftOut: plain('l') },
        ...{ ...base, ...session, ...publication },
        ...{ publishedCommit: 'def', changes: { files: 1, added: 2, deleted: 3 } },
        ...{ review: null, surroundings: null, continues: null, unsaved: null, createdAt: 5000, archivedAt: null },
      };
      assert.deepEqual(await store.job('j1'), stored);
      const stays = { ...turn, ...agent, usage, commit: 'def', state: 'running', attempt: 1, startedAt: 5000 };
      assert.deepEqual(await store.turns('j1'), [stays]);
      // Lists of jobs are read often, and texts may be long.
      const outline = Object.entries(stays).filter(([name]) => name !== 'prompt' && name !== 'summary');
      const listed = { ...stored, title: 'prompt 🗼', turns: [Object.fromEntries(outline)] };
      assert.deepEqual([await store.jobWithTurns('j1'), ...(await store.jobs('p1', 9))], [listed, listed]);
      assert.deepEqual([await store.job('j2'), await store.jobWithTurns('j2')], [undefined, undefined]);
      await store.record(turn, { note: null, leftOut: null });
      assert.deepEqual(await store.job('j1'), { ...stored, note: null, leftOut: null });
    });

    it('keeps the settings of a project that is stored again without them', async () => {
      await create();
      assert.deepEqual((await store.putProject({ ...project, folder: '/moved' })).settings.command, ['a', 'b c']);
      assert.equal((await store.project('p1'))?.folder, '/moved');
      await store.putProject({ ...project, settings: customAgent(['other']) });
      assert.deepEqual((await store.project('p1'))?.settings.command, ['other']);
      const added = await store.putProject({ ...project, id: 'p2' });
      assert.deepEqual(added.settings, projectSettingsSchema.parse({}));
      assert.ok(await store.job('j1'));
    });

    it('adds a job and its first turn together', async () => {
      await create();
      await assert.rejects(create('again'));
      assert.deepEqual([await states(), await told()], [['queued'], ['queued']]);
    });

    it('gives a job the first name for its branch that no other job has', async () => {
      const branches = ['docs-agent/x-1', 'docs-agent/x-12'];
      await createTurn(store, sampleJob({ branches }), 'x');
      await createTurn(store, sampleJob({ id: 'j2', branches }), 'x');
      assert.deepEqual([(await store.job('j1'))?.branch, (await store.job('j2'))?.branch], branches);
    });

    describe('hourly limit', () => {
      const creates = async (id: string, perHour = 2) => store.createJob(sampleJob({ id }), 'x', perHour);
      const sends = async (perHour = 2) => store.addFollowUp({ id: 'j1', projectId: 'p1' }, 'x', perHour);
      const waits = (admission: Awaited<ReturnType<typeof sends>>) =>
        admission !== undefined && 'waitMs' in admission ? admission.waitMs : 0;

      it('refuses requests beyond it, says when the next one is allowed, and stores nothing', async () => {
        assert.equal(waits(await creates('j1')), 0);
        now += 10;
        assert.equal(waits(await creates('j2')), 0);
        assert.equal(waits(await creates('j3')), HOUR_MS - 10);
        assert.equal(await store.job('j3'), undefined);
        now += HOUR_MS - 10;
        assert.equal(waits(await creates('j3')), 0);
      });

      it('counts jobs, follow-ups and each project separately', async () => {
        await store.putProject({ ...project, id: 'p2' });
        await creates('j1', 1);
        assert.equal(waits(await sends(1)), 0);
        assert.equal(waits(await sends(1)), HOUR_MS);
        assert.equal(waits(await store.createJob(sampleJob({ id: 'j2', projectId: 'p2' }), 'x', 1)), 0);
        assert.deepEqual(await states(), ['cancelled', 'queued']);
      });

      it('ignores requests that were recorded while the clock was ahead', async () => {
        const before = now;
        now += 365 * 24 * HOUR_MS;
        await creates('j1', 1);
        now = before;
        assert.equal(waits(await creates('j2', 1)), 0);
        assert.equal(waits(await creates('j3', 1)), HOUR_MS);
      });

      it('holds for requests that arrive at the same time', async () => {
        const all = await Promise.all(Array.from({ length: 12 }, (_, index) => creates(`j${index}`, 5)));
        assert.equal(all.filter((admission) => waits(admission) === 0).length, 5);
        assert.equal((await store.jobs('p1', 20)).length, 5);
      });
    });

    it('cancels queued turns when a follow-up replaces them, but not those that run', async () => {
      const first = await create();
      await followUp(store, 'j1', 'two');
      assert.deepEqual(await states(), ['cancelled', 'queued']);
      assert.equal(await store.claimTurn(first), undefined);
      await claim(store, (await store.turns('j1'))[1]!);
      await followUp(store, 'j1', 'three');
      assert.deepEqual(await states(), ['cancelled', 'running', 'queued']);
      assert.deepEqual(await told(), ['queued', 'cancelled', 'queued', 'running', 'queued']);
    });

    it('leaves one queued turn when several follow-ups arrive at the same time', async () => {
      await create();
      await Promise.all(Array.from({ length: 8 }, (_, index) => followUp(store, 'j1', `${index}`)));
      assert.deepEqual(await states(), [...Array<string>(8).fill('cancelled'), 'queued']);
    });

    it('accepts no follow-up to a job of another project', async () => {
      await create();
      assert.equal(await store.addFollowUp({ id: 'j1', projectId: 'p2' }, 'x', NO_LIMIT), undefined);
      assert.equal(await store.addFollowUp({ id: 'j2', projectId: 'p1' }, 'x', NO_LIMIT), undefined);
    });

    it('unarchives a job and reopens its review when it gets a follow-up', async () => {
      await store.finishTurn(await create(), 'done');
      await store.setReview('j1', 'merged');
      assert.equal(await store.archiveJob('j1'), true);
      await followUp(store, 'j1', 'again');
      const { archivedAt, review } = (await store.job('j1'))!;
      assert.deepEqual([archivedAt, review], [null, null]);
    });

    it('cancels the queued turns of a job when the user stops it', async () => {
      await create();
      await create('y', 'j2');
      await store.requestStop('j1', plain('why'));
      const [turn] = await store.turns('j1');
      assert.deepEqual([turn?.state, turn?.reason, turn?.endedAt], ['cancelled', plain('why'), 5000]);
      assert.deepEqual(await states('j2'), ['queued']);
      const running = await claim(store, (await store.turns('j2'))[0]!);
      await store.requestStop('j2', plain('why'));
      await store.finishTurn(running, 'done');
    });

    describe('claim', () => {
      const lost = async (work: Promise<unknown>) => assert.rejects(work, ClaimLost);

      it('is given to only one of several callers at the same time, and counts as an attempt', async () => {
        const turn = await create();
        const claims = await Promise.all(Array.from({ length: 8 }, () => store.claimTurn(turn)));
        const [won, ...others] = claims.filter((each) => each !== undefined);
        assert.deepEqual([won?.state, won?.attempt, won?.startedAt, others], ['running', 1, 5000, []]);
        assert.deepEqual(await told(), ['queued', 'running']);
      });

      it('can be given up and taken again, with a note in the activity log', async () => {
        let turn = await claim(store, await create());
        await store.record(turn, { agentPid: 42, agentStartTime: '100' });
        for (const isCounted of [false, true]) {
          await store.requeueTurn(turn, { isCounted, note: plain('Later.') });
          const [queued] = await store.turns('j1');
          assert.deepEqual([queued?.state, queued?.agentPid], ['queued', null]);
          turn = await claim(store, queued!);
        }
        assert.deepEqual([turn.attempt, turn.uncountedAttempts], [3, 1]);
        const notes = (await store.activity('j1', 0, 9)).filter(({ entry }) => entry.kind === 'note');
        assert.equal(notes.length, 2);
      });

      it('can be put on hold until a time, which stays known', async () => {
        const turn = await claim(store, await create());
        await store.record(turn, { phase: 'finishing' });
        await store.requeueTurn(turn, { isCounted: false, note: plain('Later.'), resumesAt: 9_000 });
        const [held] = await store.turns('j1');
        assert.deepEqual([held?.state, held?.resumesAt], ['queued', 9_000]);
        const again = await claim(store, held!);
        assert.deepEqual([again.state, again.resumesAt, again.phase], ['running', 9_000, null]);
      });

      it('ends a turn that is given up when a newer message has replaced it, but not one that is publishing', async () => {
        const running = await claim(store, await create());
        const publishing = await claim(store, await create('y', 'j2'));
        await store.startPublishing(publishing, '');
        await followUp(store, 'j1', 'two');
        await followUp(store, 'j2', 'two');
        await store.requeueTurn(running, { isCounted: false, note: plain('Later.') });
        await store.requeueTurn(publishing, { isCounted: false, note: plain('Later.') });
        assert.deepEqual(
          [await states(), await states('j2')],
          [
            ['cancelled', 'queued'],
            ['publishing', 'queued'],
          ],
        );
        assert.equal((await store.turns('j1'))[0]?.endedAt, 5000);
        assert.deepEqual(await told(), ['queued', 'running', 'queued', 'cancelled']);
      });

      it('leaves no note when the turn had not started', async () => {
        await store.requeueTurn(await create(), { isCounted: false, note: plain('Later.') });
        assert.deepEqual((await store.activity('j1', 0, 9)).length, 1);
        assert.equal((await store.turns('j1'))[0]?.uncountedAttempts, 0);
      });

      it('of a turn that was left publishing resumes publishing', async () => {
        const turn = await claim(store, await create());
        await store.record(turn, { agentPid: 42, agentStartTime: '100' });
        await store.startPublishing(turn, 'Wrote it.', plain('early'));
        await store.requeueTurn(turn, { isCounted: false, note: plain('Later.') });
        const again = await claim(store, (await store.turns('j1'))[0]!);
        const { state, summary, reason, attempt, uncountedAttempts, agentPid } = again;
        assert.deepEqual(
          [state, summary, reason, attempt, uncountedAttempts, agentPid],
          ['publishing', 'Wrote it.', plain('early'), 2, 1, null],
        );
        await lost(store.finishTurn(turn, 'done'));
        await store.finishTurn(again, 'done', plain('early'));
        assert.deepEqual(await told(), ['queued', 'running', 'publishing', 'done']);
      });

      it('of a turn that was left publishing succeeds only once', async () => {
        const turn = await claim(store, await create());
        await store.startPublishing(turn, 'Wrote it.');
        const left = (await store.turns('j1'))[0]!;
        assert.equal((await store.claimTurn(left))?.attempt, 2);
        assert.equal(await store.claimTurn(left), undefined);
      });

      it('is lost when the turn is claimed again: a late write of the earlier attempt changes nothing', async () => {
        const old = await claim(store, await create());
        await store.requeueTurn(old, { isCounted: true, note: plain('Gone.') });
        const writes: ((claim: Claim) => Promise<unknown>)[] = [
          (own) => store.record(own, { model: 'late', usage: { session: 'late' } }),
          (own) => store.startPublishing(own, 'late'),
          (own) => store.recordCommit(own, 'late', null),
          (own) => store.addActivity(own, [{ kind: 'message', text: 'late' }]),
          (own) => store.finishTurn(own, 'failed'),
          (own) => store.requeueTurn(own, { isCounted: true, note: plain('late') }),
        ];
        for (const write of writes.slice(0, 4)) {
          await lost(write(old));
        }
        const present = await claim(store, (await store.turns('j1'))[0]!);
        const before = [await store.jobWithTurns('j1'), await store.activity('j1', 0, 99)];
        for (const write of writes) {
          await lost(write(old));
        }
        assert.deepEqual([await store.jobWithTurns('j1'), await store.activity('j1', 0, 99)], before);
        await store.finishTurn(present, 'cancelled');
        for (const write of writes) {
          await lost(write(present));
        }
        assert.equal((await store.job('j1'))?.model, 'agent');
      });
    });

    it('records when a turn ended, why, what was found out last, and that its agent is gone', async () => {
      const turn = await claim(store, await create());
      await store.record(turn, { agentPid: 42, agentStartTime: '100' });
      now = 6000;
      await store.finishTurn(turn, 'failed', plain('why'), { prLink: 'https://git.example/1' });
      assert.equal((await store.job('j1'))?.prLink, 'https://git.example/1');
      const { state, reason, attempt, agentPid, endedAt } = (await store.turns('j1'))[0]!;
      assert.deepEqual([state, reason, attempt, agentPid, endedAt], ['failed', plain('why'), 1, null, 6000]);
    });

    it('returns the unfinished turns and when a job ended', async () => {
      const first = await claim(store, await create());
      const second = await followUp(store, 'j1', 'y');
      const other = await create('z', 'j2');
      const open = async () => (await store.unfinishedTurns()).map(({ id }) => id);
      assert.deepEqual(await open(), [first.id, second.id, other.id]);
      await store.startPublishing(first, '');
      await store.finishTurn(first, 'done');
      assert.deepEqual(await open(), [second.id, other.id]);
      assert.equal(await store.endedAt('j1'), undefined);
      now = 9000;
      await store.finishTurn(second, 'cancelled');
      assert.deepEqual(await open(), [other.id]);
      assert.equal(await store.endedAt('j1'), 9000);
      assert.equal(await store.endedAt('j3'), undefined);
    });

    it('archives a job only once and only when all its turns have ended', async () => {
      const turn = await create();
      assert.equal(await store.archiveJob('j1'), false);
      await store.finishTurn(turn, 'done');
      now = 7000;
      assert.equal(await store.archiveJob('j1'), true);
      now = 8000;
      assert.equal(await store.archiveJob('j1'), true);
      assert.equal((await store.job('j1'))?.archivedAt, 7000);
    });

    it('keeps the review of merged work until the job gets new work', async () => {
      const turn = await claim(store, await create());
      assert.equal(await store.setReview('j1', 'closed'), true);
      assert.equal(await store.setReview('j1', null), true);
      assert.equal(await store.setReview('j1', 'merged'), true);
      assert.deepEqual([await store.setReview('j1', 'closed'), await store.setReview('j1', null)], [false, false]);
      assert.equal((await store.job('j1'))?.review, 'merged');
      await store.recordCommit(turn, 'def', null);
      assert.equal((await store.job('j1'))?.review, null);
    });

    it('reopens the review of merged work, but not of closed work', async () => {
      await create();
      for (const [review, then] of [
        ['closed', 'closed'],
        ['merged', null],
      ] as const) {
        await store.setReview('j1', review);
        await store.reopenMerged('j1');
        assert.equal((await store.job('j1'))?.review, then);
      }
    });

    it('lists jobs newest first in pages, even when several have the same creation time', async () => {
      const ids = Array.from({ length: 7 }, (_, index) => `job${index}`);
      for (const [index, id] of ids.entries()) {
        now = 1000 + Math.floor(index / 3);
        await create('x', id);
      }
      await store.putProject({ ...project, id: 'p2' });
      await createTurn(store, sampleJob({ id: 'foreign', projectId: 'p2' }), 'x');
      const seen: string[] = [];
      for (let before: string | undefined; ;) {
        const page = await store.jobs('p1', 2, before);
        if (page.length === 0) {
          break;
        }
        assert.ok(page.every(({ turns }) => turns.length === 1));
        seen.push(...page.map(({ id }) => id));
        before = page.at(-1)?.id;
      }
      assert.deepEqual(seen, ids.toReversed());
      assert.deepEqual(await store.jobs('p1', 2, 'foreign'), []);
    });

    it('reports each job that changes', async () => {
      const changed: (string | undefined)[] = [];
      const subscription = store.onJob((jobId) => changed.push(jobId));
      const reported = async (count: number): Promise<void> => {
        for (const start = Date.now(); changed.length < count && Date.now() - start < 10_000;) {
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        assert.deepEqual(changed.splice(0), Array<string>(count).fill('j1'));
      };
      const turn = await claim(store, await create());
      await reported(2);
      await store.record(turn, { model: 'other' });
      await store.startPublishing(turn, '');
      await store.recordCommit(turn, 'def', null);
      await store.finishTurn(turn, 'done');
      await reported(3);
      await store.setReview('j1', 'closed');
      await store.archiveJob('j1');
      await followUp(store, 'j1', 'y');
      await store.requestStop('j1', plain('why'));
      await reported(4);
      subscription.dispose();
    });
  });
}
