import assert from 'node:assert/strict';
import { join } from 'node:path';
import { noteEntry } from '../../../../src/local-service/codedText';
import { SqliteJobStore } from '../../../../src/local-service/store/sqliteJobStore';
import { coded } from '../../../../src/protocol/codedText';
import { customAgent } from '../../../../src/protocol/localService';
import type { ActivityEntry, ActivityEvent } from '../../../../src/protocol/activity';
import { plain } from '../../../support/codedText';
import { sampleJob } from '../../../support/sampleTurn';
import { temporaryFolder } from '../../../support/temporaryRepository';

const tool = (call: string): ActivityEntry => {
  return { kind: 'tool', call, title: 'Read', tool: 'read', state: 'completed', files: [] };
};
const message = (text: string): ActivityEntry => ({ kind: 'message', text });

describe('agent activity log', () => {
  let file: string;
  let store: SqliteJobStore;
  let turn: number;
  before(function () {
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });
  beforeEach(async () => {
    file = join(await temporaryFolder(), 'service.db');
    store = SqliteJobStore.open(file, () => 5000);
    store.putProject({ id: 'p1', name: 'docs', folder: '/docs', settings: customAgent(['a']) });
    turn = store.addJob(sampleJob(), 'x').id;
  });
  afterEach(() => store.close());

  const all = (): ActivityEvent[] => store.story('j1', 0, 10_000);

  it('stores states and agent entries per turn and can be read from any event on', () => {
    const told: string[] = [];
    store.onStory((jobId) => told.push(jobId));
    store.setTurn(turn, 'running');
    store.addStory('j1', turn, [message('Hello'), tool('1')]);
    store.setTurn(turn, 'failed', plain('why'));
    store.addTurn({ id: 'j1', projectId: 'p1' }, 'more', 1);
    const events = all();
    assert.deepEqual(
      events.map((event) => [event.turn, event.entry]),
      [
        [1, { kind: 'state', state: 'queued' }],
        [1, { kind: 'state', state: 'running' }],
        [1, message('Hello')],
        [1, tool('1')],
        [1, { kind: 'state', state: 'failed', reason: 'why', coded: plain('why') }],
        [2, { kind: 'state', state: 'queued' }],
      ],
    );
    assert.equal(events[0]?.at, '1970-01-01T00:00:05.000Z');
    assert.deepEqual(store.story('j1', events[1]!.id, 2), events.slice(2, 4));
    assert.equal(told.length, 4);
    assert.deepEqual(store.story('j2', 0, 9), []);
  });

  it('is deleted some time after the job was archived and restarts with a follow-up', () => {
    store.addJob({ ...sampleJob(), id: 'j2' }, 'y');
    store.setTurn(turn, 'done');
    store.setArchived('j1', 1_000);
    store.dropStories(1_000);
    assert.equal(all().length, 2);
    const last = all().at(-1)!.id;
    store.dropStories(1_001);
    assert.deepEqual(all(), []);
    assert.equal(store.story('j2', 0, 9).length, 1);
    store.addTurn({ id: 'j1', projectId: 'p1' }, 'more', 2_000);
    store.dropStories(9_000);
    assert.deepEqual(
      all().map(({ entry }) => entry),
      [{ kind: 'state', state: 'queued' }],
    );
    assert.ok(all()[0]!.id > last);
  });

  it('keeps at most 2,000 events with all states and messages and never reuses an ID', () => {
    let last = 0;
    for (let round = 0; round < 100; round++) {
      store.addStory('j1', turn, [
        ...Array.from({ length: 40 }, (_, index) => tool(`${round} ${index}`)),
        ...Array.from({ length: 10 }, () => message(`${round},`)),
      ]);
      store.setTurn(turn, 'running');
      const newest = all().at(-1)?.id ?? 0;
      assert.ok(newest > last);
      last = newest;
    }
    const entries = all().map(({ entry }) => entry);
    assert.ok(entries.length <= 2000, `${entries.length}`);
    assert.equal(entries.filter(({ kind }) => kind === 'state').length, 101);
    const words = entries.map((entry) => (entry.kind === 'message' ? entry.text : '')).join('');
    assert.equal(words, Array.from({ length: 100 }, (_, round) => `${round},`.repeat(10)).join(''));
    const notes = entries.filter(({ kind }) => kind === 'note');
    assert.deepEqual(notes, [noteEntry(coded('olderStepsDropped'))]);
  });

  it('stays within the limit when it contains only messages or only states', () => {
    store.addStory(
      'j1',
      turn,
      Array.from({ length: 2100 }, (_, n) => message(`${n} ${'x'.repeat(16_000)}`)),
    );
    assert.ok(all().length <= 2000);
    const other = store.addJob(sampleJob({ id: 'j2' }), 'x').id;
    store.addStory('j2', other, Array<ActivityEntry>(2100).fill({ kind: 'state', state: 'running' }));
    assert.ok(store.story('j2', 0, 10_000).length <= 2000);
  });

  it('applies the limit after a restart', () => {
    store.addStory(
      'j1',
      turn,
      Array.from({ length: 1990 }, (_, n) => tool(String(n))),
    );
    store.close();
    store = SqliteJobStore.open(file, () => 5000);
    store.addStory(
      'j1',
      turn,
      Array.from({ length: 20 }, (_, n) => tool(`more ${n}`)),
    );
    assert.ok(all().length <= 1501);
  });
});
