import assert from 'node:assert/strict';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreInUse } from '../../../../src/local-service/store/openDatabase';
import { SqliteJobStore } from '../../../../src/local-service/store/sqliteJobStore';
import { coded } from '../../../../src/protocol/codedText';
import { customAgent, projectSettingsSchema } from '../../../../src/protocol/localService';
import { plain } from '../../../support/codedText';
import { sampleJob } from '../../../support/sampleTurn';
import { temporaryFolder } from '../../../support/temporaryRepository';

const job = sampleJob();

describe('SqliteJobStore', () => {
  let file: string;
  let store: SqliteJobStore;
  let now: number;
  before(function () {
    // Node 20, which may run the other tests, does not have node:sqlite.
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });
  const open = (): SqliteJobStore => SqliteJobStore.open(file, () => now);
  beforeEach(async () => {
    now = 5000;
    file = join(await temporaryFolder(), 'service.db');
    store = open();
    store.putProject({ id: 'p1', name: 'docs', folder: '/docs', settings: customAgent(['a', 'b c']) });
  });
  afterEach(() => store.close());

  it('reads plain sentences stored by earlier versions', () => {
    const { id } = store.addJob(job, 'prompt');
    store.close();
    const sqlite = process.getBuiltinModule('node:sqlite');
    const database = new sqlite.DatabaseSync(file);
    database.exec("UPDATE turns SET reason = 'It was tired.'; UPDATE jobs SET note = 'It was pushed.'");
    database.close();
    store = open();
    assert.deepEqual(store.turns('j1')[0]?.reason, plain('It was tired.'));
    assert.deepEqual(store.job('j1')?.note, plain('It was pushed.'));
    store.setTurn(id, 'failed', coded('stoppedByUser'));
    assert.deepEqual(store.turns('j1')[0]?.reason, { code: 'stoppedByUser' });
  });

  const reopen = (): void => {
    store.close();
    store = open();
  };

  it('returns everything that was stored after a restart', () => {
    const turn = store.addJob(job, 'prompt \0 🗼');
    store.setBase('j1', 'abc', 'main');
    store.setModel('j1', 'other');
    store.setLeftOut('j1', plain('l'));
    store.setPublished('j1', 'def', { files: 1, added: 2, deleted: 3 });
    store.setPublication('j1', { prLink: 'https://example.org/1', note: plain('n'), pushedCommit: 'def' });
    store.setSession('j1', 'other', 's1', 7);
    store.setReview('j1', 'merged');
    store.setArchived('j1', 7000);
    store.setTurn(turn.id, 'running');
    store.setAgentProcess(turn.id, 42, '100');
    store.setSummary(turn.id, 'Wrote it.');
    const usage = { session: 's1', tokens: 12_345, cost: { amount: 0.12, currency: 'USD' } };
    store.setUsage(turn.id, usage);
    store.setTurnCommit(turn.id, 'def');
    store.setLastPort(4000);
    reopen();
    assert.deepEqual(store.project('p1'), {
      id: 'p1',
      name: 'docs',
      folder: '/docs',
      settings: projectSettingsSchema.parse({ agent: 'custom', command: ['a', 'b c'] }),
    });
    assert.deepEqual(store.job('j1'), {
      ...job,
      model: 'other',
      baseCommit: 'abc',
      baseBranch: 'main',
      publishedCommit: 'def',
      changes: { files: 1, added: 2, deleted: 3 },
      pushedCommit: 'def',
      prLink: 'https://example.org/1',
      note: plain('n'),
      leftOut: plain('l'),
      session: 's1',
      sessionAgent: 'other',
      sessionTurn: 7,
      review: 'merged',
      archivedAt: 7000,
    });
    const running = { ...turn, state: 'running', attempt: 1, agentPid: 42, agentStartTime: '100', startedAt: 5000 };
    assert.deepEqual(store.turns('j1'), [{ ...running, summary: 'Wrote it.', usage, commit: 'def' }]);
    assert.equal(store.lastPort(), 4000);
    assert.equal(store.job('j2'), undefined);
  });

  it('counts a turn’s attempts and clears its agent process when it ends', () => {
    const { id } = store.addJob(job, 'x');
    for (const attempt of [1, 2]) {
      store.setTurn(id, 'running');
      store.setAgentProcess(id, 42, '100');
      assert.equal(store.turns('j1')[0]?.attempt, attempt);
    }
    now = 6000;
    store.setTurn(id, 'publishing');
    store.setTurn(id, 'failed', plain('why'));
    const [turn] = store.turns('j1');
    const { state, reason, attempt, agentPid, endedAt } = turn!;
    assert.deepEqual([state, reason, attempt, agentPid, endedAt], ['failed', plain('why'), 2, null, 6000]);
  });

  it('updates the settings of an existing project and keeps its jobs', () => {
    store.addJob(job, 'x');
    store.putProject({ id: 'p1', name: 'docs', folder: '/docs', settings: customAgent(['other']) });
    assert.deepEqual(store.project('p1')?.settings.command, ['other']);
    assert.ok(store.job('j1'));
  });

  it('adds a job and its first turn atomically', () => {
    store.addJob(job, 'x');
    assert.throws(() => store.addJob({ ...job }, 'again'));
    assert.equal(store.turns('j1').length, 1);
    assert.equal(store.story('j1', 0, 9).length, 1);
  });

  it('returns the unfinished turns and when a job ended', () => {
    const turns = ['1', '2', '3', '4'].map((prompt, index) =>
      index === 0 ? store.addJob(job, prompt) : store.addTurn(job, prompt, index),
    );
    (['done', 'running', 'publishing'] as const).forEach((state, index) => store.setTurn(turns[index]!.id, state));
    const open = turns.slice(1).map(({ id }) => id);
    assert.deepEqual(
      store.unfinishedTurns().map(({ id }) => id),
      open,
    );
    assert.equal(store.endedAt('j1'), undefined);
    now = 9000;
    open.forEach((id) => store.setTurn(id, 'cancelled'));
    assert.deepEqual(store.unfinishedTurns(), []);
    assert.equal(store.endedAt('j1'), 9000);
    assert.equal(store.endedAt('j2'), undefined);
  });

  it('lists jobs newest first in pages, even when several have the same creation time', () => {
    const ids = Array.from({ length: 7 }, (_, index) => `job${index}`);
    ids.forEach((id, index) => store.addJob({ ...job, id, createdAt: 1000 + Math.floor(index / 3) }, 'x'));
    store.putProject({ id: 'p2', name: 'x', folder: '/x', settings: customAgent(['a']) });
    store.addJob({ ...job, id: 'foreign', projectId: 'p2' }, 'x');
    const seen: string[] = [];
    for (let before: string | undefined; ;) {
      const page = store.jobs('p1', 2, before);
      if (page.length === 0) {
        break;
      }
      seen.push(...page.map(({ id }) => id));
      before = page.at(-1)?.id;
    }
    assert.deepEqual(seen, ids.toReversed());
    assert.deepEqual(store.jobs('p1', 2, 'foreign'), []);
    assert.equal(store.jobIds().length, 8);
  });

  it('unarchives a job when it gets a follow-up', () => {
    store.addJob(job, 'x');
    store.setArchived('j1', 7000);
    store.addTurn(job, 'again', 8000);
    assert.equal(store.job('j1')?.archivedAt, null);
  });

  it('returns the time of the n-th newest request of a kind', () => {
    store.addJob(job, 'x');
    [5, 9, 7].forEach((time) => store.addTurn(job, 'x', time));
    assert.deepEqual(
      [1, 2, 3, 4].map((n) => store.nthNewest('p1', 'message', n, 9)),
      [9, 7, 5, undefined],
    );
    assert.equal(store.nthNewest('p1', 'message', 1, 8), 7);
    assert.equal(store.nthNewest('p1', 'create', 1, 1000), 1000);
    assert.equal(store.nthNewest('p2', 'create', 1, 1000), undefined);
  });

  it('restricts the database files to their owner, even if they were readable before', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const rights = async () => Promise.all(['', '-wal'].map(async (end) => (await stat(`${file}${end}`)).mode & 0o777));
    store.addJob(job, 'x');
    assert.deepEqual(await rights(), [0o600, 0o600]);
    store.close();
    await chmod(file, 0o644);
    store = open();
    store.addJob({ ...job, id: 'j2' }, 'x');
    assert.deepEqual(await rights(), [0o600, 0o600]);
  });

  it('allows only one process at a time', () => {
    assert.throws(() => SqliteJobStore.open(file), StoreInUse);
  });
});
