import assert from 'node:assert/strict';
import { open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openDatabase } from '../../../../src/local-service/store/openDatabase';
import { SqliteJobStore } from '../../../../src/local-service/store/sqliteJobStore';
import { createTurn, sampleJob } from '../../../support/sampleTurn';
import { temporaryFolder } from '../../../support/temporaryRepository';

describe('damaged database', () => {
  before(function () {
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });

  async function filled(): Promise<{ folder: string; file: string }> {
    const folder = await temporaryFolder();
    const file = join(folder, 'service.db');
    const store = SqliteJobStore.open(file);
    await store.putProject({ id: 'p1', name: 'x', folder: '/x' });
    for (let id = 0; id < 50; id++) {
      await createTurn(store, sampleJob({ id: `j${id}` }), 'prompt '.repeat(500));
    }
    await store.close();
    return { folder, file };
  }

  async function overwrite(file: string, at: number, bytes: number): Promise<void> {
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(bytes, 'x'), 0, bytes, at);
    await handle.close();
  }

  for (const [how, damage] of [
    ['begins with something else', (file: string) => overwrite(file, 0, 4096)],
    ['is cut to half', async (file: string) => truncate(file, Math.floor((await stat(file)).size / 8192) * 4096)],
    ['has pages of something else', (file: string) => overwrite(file, 5 * 4096, 20 * 4096)],
  ] as const) {
    it(`is set aside and replaced by a new one when it ${how}`, async () => {
      const { folder, file } = await filled();
      await damage(file);
      await writeFile(`${file}-wal`, '');
      const damaged = await readFile(file);
      const aside: string[] = [];
      const store = SqliteJobStore.open(file, Date.now, (path) => aside.push(path));
      assert.equal(await store.job('j1'), undefined);
      await store.close();
      const [path = ''] = aside;
      assert.match(basename(path), /^service\.db\.damaged-\d{8}T\d{6}Z$/);
      assert.deepEqual(await readFile(path), damaged);
      assert.ok(!(await readdir(folder)).some((name) => name.startsWith('service.db-')));
      // The new database is valid, so it is not set aside again.
      await SqliteJobStore.open(file, Date.now, () => assert.fail('set aside again')).close();
    });
  }

  it('is not assumed for one of a newer version, which stays unchanged', async () => {
    const { file } = await filled();
    const { DatabaseSync } = await import('node:sqlite');
    const newer = new DatabaseSync(file);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    const before = await readFile(file);
    assert.throws(() => SqliteJobStore.open(file), { exitCode: 4, message: /newer version.*--data/ });
    assert.deepEqual(await readFile(file), before);
  });

  it('is not assumed for another program’s database, which stays unchanged', async () => {
    const { DatabaseSync } = await import('node:sqlite');
    const file = join(await temporaryFolder(), 'service.db');
    const other = new DatabaseSync(file);
    other.exec('CREATE TABLE mine (x)');
    other.close();
    assert.throws(() => openDatabase(file), { exitCode: 2, message: /isn’t a database of this service/ });
    const again = new DatabaseSync(file);
    assert.deepEqual(
      again
        .prepare('SELECT name FROM sqlite_master')
        .all()
        .map((row) => row['name']),
      ['mine'],
    );
    again.close();
  });
});
