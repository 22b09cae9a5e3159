import assert from 'node:assert/strict';
import { chmod, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openDatabase, readLastPort, saveLastPort, StoreInUse } from '../../../../src/local-service/store/openDatabase';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { ManualClock } from '../../../support/manualClock';
import { createTurn, openStore, sampleJob } from '../../../support/sampleTurn';
import { temporaryFolder } from '../../../support/temporaryRepository';

/** What a store in a file has beyond one in any database; see jobStore.test.ts. */
describe('database file', () => {
  let folder: string;
  let file: string;
  before(function () {
    // Node 20, which may run the other tests, does not have node:sqlite.
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });
  beforeEach(async () => {
    folder = await temporaryFolder();
    file = join(folder, 'service.db');
  });

  const create = async (jobs = 1): Promise<SqlJobStore> => {
    const store = await openStore(file);
    await store.putProject({ id: 'p1', name: 'docs', folder: '/docs' });
    for (let id = 1; id <= jobs; id++) {
      await createTurn(store, sampleJob({ id: `j${id}` }), 'prompt '.repeat(500));
    }
    return store;
  };
  /** Changes the file as another program would. */
  const change = async (sql: string): Promise<Buffer> => {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    return readFile(file);
  };

  it('is restricted to its owner, even if it was readable before', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const rights = async () => Promise.all(['', '-wal'].map(async (end) => (await stat(`${file}${end}`)).mode & 0o777));
    const first = await create();
    assert.deepEqual(await rights(), [0o600, 0o600]);
    await first.close();
    await chmod(file, 0o644);
    const second = await openStore(file);
    await createTurn(second, sampleJob({ id: 'j2' }), 'prompt \0 🗼');
    assert.deepEqual(await rights(), [0o600, 0o600]);
    // Only PostgreSQL can't store this character.
    assert.equal((await second.turns('j2'))[0]?.prompt, 'prompt \0 🗼');
    await second.close();
  });

  it('remembers the port', async () => {
    await (await create()).close();
    const options = { clock: new ManualClock(), isStaying: async () => true, onSetAside: () => undefined };
    const first = await openDatabase(file, options);
    assert.equal(await readLastPort(first), undefined);
    await saveLastPort(first, 3000);
    await saveLastPort(first, 4000);
    await first.close();
    const second = await openDatabase(file, options);
    assert.equal(await readLastPort(second), 4000);
    await second.close();
  });

  it('has one change at a time, and none of one that fails', async () => {
    await (await create()).close();
    const options = { clock: new ManualClock(), isStaying: async () => true, onSetAside: () => undefined };
    const database = await openDatabase(file, options);
    const told: string[] = [];
    await database.listen((channel, jobId) => told.push(channel, jobId ?? ''));
    const fails = database.transaction(async ({ query, notify }) => {
      await query("UPDATE jobs SET note = 'x'");
      notify('job_changed', 'j1');
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('failed');
    });
    const notes = database.query('SELECT note FROM jobs');
    await assert.rejects(fails, /failed/);
    assert.deepEqual([(await notes).map(({ note }) => note), told], [[null], []]);
    await database.close();
  });

  describe('that another service uses', () => {
    const opening = async (isStaying: boolean) => {
      const [other, clock] = [await create(), new ManualClock()];
      const options = { clock, isStaying: async () => isStaying, onSetAside: () => undefined };
      const opened = openDatabase(file, options);
      await clock.untilPending();
      return { other, clock, opened };
    };

    it('is opened when that service ends', async () => {
      const { other, clock, opened } = await opening(false);
      await clock.advance(5_000);
      await other.close();
      await clock.advance(1_000);
      await (await opened).close();
    });

    for (const [how, isStaying, waitMs] of [
      ['soon when that service keeps running', true, 1_200],
      ['after a while when it doesn’t end', false, 12_200],
    ] as const) {
      it(`is refused ${how}`, async () => {
        const { other, clock, opened } = await opening(isStaying);
        const refused = assert.rejects(opened, StoreInUse);
        await clock.advance(waitMs);
        assert.equal(clock.pending, 0);
        await refused;
        await other.close();
      });
    }
  });

  describe('that is damaged', () => {
    const overwrite = async (at: number, bytes: number): Promise<void> => {
      const handle = await open(file, 'r+');
      await handle.write(Buffer.alloc(bytes, 'x'), 0, bytes, at);
      await handle.close();
    };
    for (const [how, damage] of [
      ['begins with something else', () => overwrite(0, 4096)],
      ['is cut to half', async () => truncate(file, Math.floor((await stat(file)).size / 8192) * 4096)],
      ['has pages of something else', () => overwrite(5 * 4096, 20 * 4096)],
    ] as const) {
      it(`is set aside and replaced by a new one when it ${how}`, async () => {
        await (await create(50)).close();
        await damage();
        await writeFile(`${file}-wal`, '');
        const damaged = await readFile(file);
        const aside: string[] = [];
        const options = { clock: new ManualClock(), isStaying: async () => true };
        const store = await openDatabase(file, { ...options, onSetAside: (path) => aside.push(path) });
        assert.deepEqual(await store.query('SELECT id FROM jobs'), []);
        await store.close();
        const [path = ''] = aside;
        assert.match(basename(path), /^service\.db\.damaged-\d{8}T\d{6}Z$/);
        assert.deepEqual(await readFile(path), damaged);
        assert.ok(!(await readdir(folder)).some((name) => name.startsWith('service.db-')));
        // The new database is valid, so it is not set aside again.
        await (await openStore(file)).close();
      });
    }

    it('is not assumed for one of a newer version, which stays unchanged', async () => {
      await (await create()).close();
      const before = await change('PRAGMA user_version = 99');
      await assert.rejects(openStore(file), { exitCode: 4, message: /newer version.*--data/ });
      assert.deepEqual(await readFile(file), before);
    });

    it('is not assumed for another program’s database, which stays unchanged', async () => {
      const before = await change('CREATE TABLE mine (x)');
      await assert.rejects(openStore(file), { exitCode: 2, message: /isn’t a database of this service/ });
      assert.deepEqual((await change('SELECT 1')).length, before.length);
    });
  });
});
