import assert from 'node:assert/strict';
import { noteEntry } from '../../../../src/local-service/codedText';
import type { Turn } from '../../../../src/local-service/store/jobStore';
import type { ActivityEntry, ActivityEvent } from '../../../../src/protocol/activity';
import { coded } from '../../../../src/protocol/codedText';
import { plain } from '../../../support/codedText';
import { claim, createTurn, followUp, sampleJob } from '../../../support/sampleTurn';
import { type AnyStore, type Database, STORE_BACKENDS } from '../../../support/storeBackends';

const tool = (call: string): ActivityEntry => {
  return { kind: 'tool', call, title: 'Read', tool: 'read', state: 'completed', files: [] };
};
const message = (text: string): ActivityEntry => ({ kind: 'message', text });

for (const backend of STORE_BACKENDS) {
  describe(`agent activity log in ${backend.name}`, function () {
    let database: Database;
    let store: AnyStore;
    let turn: Turn;
    before(async function () {
      if ((await backend.missing()) !== undefined) {
        this.skip();
      }
    });
    beforeEach(async () => {
      database = await backend.create();
      store = await database.open(() => 5000);
      await store.putProject({ id: 'p1', name: 'docs', folder: '/docs' });
      turn = await claim(store, await createTurn(store, sampleJob(), 'x'));
    });
    afterEach(async () => {
      await store.close();
      await database.remove();
    });

    const all = (): Promise<ActivityEvent[]> => store.activity('j1', 0, 10_000);

    it('stores states and agent entries per turn and can be read from any event on', async () => {
      const told: (string | undefined)[] = [];
      store.onActivity((jobId) => told.push(jobId));
      await store.addActivity(turn, [message('Hello \0'), tool('1')]);
      await store.finishTurn(turn, 'failed', plain('why'));
      await followUp(store, 'j1', 'more');
      const events = await all();
      assert.deepEqual(
        events.map((event) => [event.turn, event.entry]),
        [
          [1, { kind: 'state', state: 'queued' }],
          [1, { kind: 'state', state: 'running' }],
          [1, message('Hello \0')],
          [1, tool('1')],
          [1, { kind: 'state', state: 'failed', reason: 'why', coded: plain('why') }],
          [2, { kind: 'state', state: 'queued' }],
        ],
      );
      assert.equal(events[0]?.at, '1970-01-01T00:00:05.000Z');
      assert.deepEqual(await store.activity('j1', events[1]!.id, 2), events.slice(2, 4));
      for (const start = Date.now(); told.length < 3 && Date.now() - start < 10_000;) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assert.ok(told.length >= 3 && told.every((jobId) => jobId === 'j1'), String(told));
      assert.deepEqual(await store.activity('j2', 0, 9), []);
    });

    it('is deleted some time after the job was archived and restarts with a follow-up', async () => {
      await createTurn(store, sampleJob({ id: 'j2' }), 'y');
      await store.finishTurn(turn, 'done');
      await store.archiveJob('j1');
      await store.dropActivity(5_000);
      assert.equal((await all()).length, 3);
      const last = (await all()).at(-1)!.id;
      await store.dropActivity(5_001);
      assert.deepEqual(await all(), []);
      assert.equal((await store.activity('j2', 0, 9)).length, 1);
      await followUp(store, 'j1', 'more');
      await store.dropActivity(9_000);
      const entries = await all();
      assert.deepEqual(
        entries.map(({ entry }) => entry),
        [{ kind: 'state', state: 'queued' }],
      );
      assert.ok(entries[0]!.id > last);
    });

    it('keeps at most 2,000 events with all states and messages and never reuses an ID', async () => {
      let last = 0;
      for (let round = 0; round < 100; round++) {
        await store.addActivity(turn, [
          ...Array.from({ length: 40 }, (_, index) => tool(`${round} ${index}`)),
          ...Array.from({ length: 10 }, () => message(`${round},`)),
          { kind: 'state', state: 'running' },
        ]);
        const newest = (await all()).at(-1)?.id ?? 0;
        assert.ok(newest > last);
        last = newest;
      }
      const entries = (await all()).map(({ entry }) => entry);
      assert.ok(entries.length <= 2000, `${entries.length}`);
      assert.equal(entries.filter(({ kind }) => kind === 'state').length, 102);
      const words = entries.map((entry) => (entry.kind === 'message' ? entry.text : '')).join('');
      assert.equal(words, Array.from({ length: 100 }, (_, round) => `${round},`.repeat(10)).join(''));
      const notes = entries.filter(({ kind }) => kind === 'note');
      assert.deepEqual(notes, [noteEntry(coded('olderStepsDropped'))]);
    });

    it('keeps at most 2.5 MB, the newest', async () => {
      const long = (n: number): ActivityEntry => message(`${n} ${'x'.repeat(15_000)}`);
      for (let n = 0; n < 400; n += 20) {
        await store.addActivity(
          turn,
          Array.from({ length: 20 }, (_, index) => long(n + index)),
        );
      }
      const entries = (await all()).map(({ entry }) => entry);
      assert.ok(JSON.stringify(entries).length < 2_600_000);
      assert.deepEqual(
        entries.slice(-130),
        Array.from({ length: 130 }, (_, index) => long(270 + index)),
      );
      assert.equal(entries.filter(({ kind }) => kind === 'note').length, 1);
    });

    it('stays within the limit when it contains only messages or only states', async () => {
      await store.addActivity(
        turn,
        Array.from({ length: 2100 }, (_, n) => message(`${n} ${'x'.repeat(16_000)}`)),
      );
      assert.ok((await all()).length <= 2000);
      const other = await claim(store, await createTurn(store, sampleJob({ id: 'j2' }), 'x'));
      await store.addActivity(other, Array<ActivityEntry>(2100).fill({ kind: 'state', state: 'running' }));
      assert.ok((await store.activity('j2', 0, 10_000)).length <= 2000);
    });

    it('applies the limit after a restart', async () => {
      await store.addActivity(
        turn,
        Array.from({ length: 1990 }, (_, n) => tool(String(n))),
      );
      await store.close();
      store = await database.open(() => 5000);
      await store.addActivity(
        turn,
        Array.from({ length: 20 }, (_, n) => tool(`more ${n}`)),
      );
      assert.ok((await all()).length <= 1501);
    });
  });
}
