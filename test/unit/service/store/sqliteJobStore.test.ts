import assert from 'node:assert/strict';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreInUse } from '../../../../src/service/store/openDatabase';
import type { Job } from '../../../../src/service/store/jobStore';
import { SqliteJobStore } from '../../../../src/service/store/sqliteJobStore';
import { temporaryFolder } from '../../../support/temporaryRepository';

const job: Job = {
  id: 'j1',
  projectId: 'p1',
  model: 'agent',
  repository: 'file:///docs',
  baseCommit: null,
  baseBranch: null,
  capability: 'c',
  publishedCommit: null,
  createdAt: 1000,
};

describe('SqliteJobStore', () => {
  let file: string;
  let store: SqliteJobStore;
  before(function () {
    // Node 20, with which the rest of the tests may run, has no node:sqlite.
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });
  beforeEach(async () => {
    file = join(await temporaryFolder(), 'service.db');
    store = SqliteJobStore.open(file);
    store.putProject({ id: 'p1', name: 'docs', folder: '/docs', agentCommand: ['a', 'b c'] });
  });
  afterEach(() => store.close());

  const reopen = (): void => {
    store.close();
    store = SqliteJobStore.open(file);
  };

  it('gives back after a restart what it was told', () => {
    const turn = store.addJob(job, 'prompt \0 🗼');
    store.setBase('j1', 'abc', 'main');
    store.setPublished('j1', 'def');
    store.setTurn(turn.id, 'done');
    store.setLastPort(4000);
    reopen();
    assert.deepEqual(
      { ...store.project('p1') },
      { id: 'p1', name: 'docs', folder: '/docs', agentCommand: ['a', 'b c'] },
    );
    assert.deepEqual({ ...store.job('j1') }, { ...job, baseCommit: 'abc', baseBranch: 'main', publishedCommit: 'def' });
    assert.deepEqual({ ...store.turns('j1')[0] }, { ...turn, state: 'done' });
    assert.equal(store.lastPort(), 4000);
    assert.equal(store.job('j2'), undefined);
  });

  it('takes a project again, with its jobs, under a new agent', () => {
    store.addJob(job, 'x');
    store.putProject({ id: 'p1', name: 'docs', folder: '/docs', agentCommand: ['other'] });
    assert.deepEqual(store.project('p1')?.agentCommand, ['other']);
    assert.ok(store.job('j1'));
  });

  it('adds a job with its turn or not at all', () => {
    store.addJob(job, 'x');
    assert.throws(() => store.addJob({ ...job }, 'again'));
    assert.equal(store.turns('j1').length, 1);
  });

  it('fails what had not ended', () => {
    const turns = [
      store.addJob(job, '1'),
      store.addTurn(job, '2', 1),
      store.addTurn(job, '3', 2),
      store.addTurn(job, '4', 3),
    ];
    (['done', 'running', 'publishing'] as const).forEach((state, index) => store.setTurn(turns[index]?.id ?? 0, state));
    assert.deepEqual(store.unfinishedJobs(), ['j1']);
    assert.equal(store.failUnfinished('why'), 3);
    assert.deepEqual(store.unfinishedJobs(), []);
    assert.deepEqual(
      store.turns('j1').map(({ state, reason }) => [state, reason]),
      [
        ['done', null],
        ['failed', 'why'],
        ['failed', 'why'],
        ['failed', 'why'],
      ],
    );
  });

  it('tells the n-th newest request of a kind', () => {
    store.addJob(job, 'x');
    [5, 9, 7].forEach((time) => store.addTurn(job, 'x', time));
    assert.deepEqual(
      [1, 2, 3, 4].map((n) => store.nthNewest('p1', 'message', n)),
      [9, 7, 5, undefined],
    );
    assert.equal(store.nthNewest('p1', 'create', 1), 1000);
    assert.equal(store.nthNewest('p2', 'create', 1), undefined);
  });

  it('is readable for its owner alone, also when it was not', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const rights = async () => Promise.all(['', '-wal'].map(async (end) => (await stat(`${file}${end}`)).mode & 0o777));
    store.addJob(job, 'x');
    assert.deepEqual(await rights(), [0o600, 0o600]);
    store.close();
    await chmod(file, 0o644);
    store = SqliteJobStore.open(file);
    store.addJob({ ...job, id: 'j2' }, 'x');
    assert.deepEqual(await rights(), [0o600, 0o600]);
  });

  it('is for one process at a time', () => {
    assert.throws(() => SqliteJobStore.open(file), StoreInUse);
  });
});
