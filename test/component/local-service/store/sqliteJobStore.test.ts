import assert from 'node:assert/strict';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreInUse } from '../../../../src/local-service/store/openDatabase';
import { SqliteJobStore } from '../../../../src/local-service/store/sqliteJobStore';
import { createTurn, sampleJob } from '../../../support/sampleTurn';
import { temporaryFolder } from '../../../support/temporaryRepository';

/** What SqliteJobStore has beyond a store in any database; see jobStore.test.ts. */
describe('SqliteJobStore', () => {
  let file: string;
  let store: SqliteJobStore;
  before(function () {
    // Node 20, which may run the other tests, does not have node:sqlite.
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });
  beforeEach(async () => {
    file = join(await temporaryFolder(), 'service.db');
    store = SqliteJobStore.open(file);
    await store.putProject({ id: 'p1', name: 'docs', folder: '/docs' });
  });
  afterEach(() => store.close());

  it('keeps every character of a prompt, even NUL', async () => {
    await createTurn(store, sampleJob(), 'prompt \0 🗼');
    assert.equal((await store.turns('j1'))[0]?.prompt, 'prompt \0 🗼');
  });

  it('remembers the port', async () => {
    assert.equal(store.lastPort(), undefined);
    store.setLastPort(4000);
    await store.close();
    store = SqliteJobStore.open(file);
    assert.equal(store.lastPort(), 4000);
  });

  it('has written the data when a method returns, before its promise is awaited', async () => {
    const turn = await createTurn(store, sampleJob(), 'x');
    void store.claimTurn(turn);
    void store.record({ ...turn, attempt: 1 }, { agentPid: 42, agentStartTime: '1' });
    await store.close();
    store = SqliteJobStore.open(file);
    assert.equal((await store.turns('j1'))[0]?.agentPid, 42);
  });

  it('restricts the database files to their owner, even if they were readable before', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const rights = async () => Promise.all(['', '-wal'].map(async (end) => (await stat(`${file}${end}`)).mode & 0o777));
    await createTurn(store, sampleJob(), 'x');
    assert.deepEqual(await rights(), [0o600, 0o600]);
    await store.close();
    await chmod(file, 0o644);
    store = SqliteJobStore.open(file);
    await createTurn(store, sampleJob({ id: 'j2' }), 'x');
    assert.deepEqual(await rights(), [0o600, 0o600]);
  });

  it('allows only one process at a time', () => {
    assert.throws(() => SqliteJobStore.open(file), StoreInUse);
  });
});
