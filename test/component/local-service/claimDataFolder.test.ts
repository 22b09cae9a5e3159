import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../../src/local-service/commandLine';
import { claimDataFolder, readOrCreateKey } from '../../../src/local-service/dataFolder';
import { SqliteJobStore } from '../../../src/local-service/store/sqliteJobStore';
import { temporaryFolder } from '../../support/temporaryRepository';

describe('readOrCreateKey', () => {
  it('creates a key once, and removes the leftovers of a start that was killed', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'key');
    const key = await readOrCreateKey(file);
    await writeFile(`${file}.4711.new`, key);
    assert.equal(await readOrCreateKey(file), key);
    assert.deepEqual(await readdir(folder), ['key']);
  });

  it('gives services that start at the same time the same key', async () => {
    const file = join(await temporaryFolder(), 'key');
    const keys = await Promise.all(Array.from({ length: 20 }, () => readOrCreateKey(file)));
    assert.equal(new Set(keys).size, 1);
  });
});

describe('claimDataFolder', () => {
  const folderWith = async (...names: string[]): Promise<string> => {
    const folder = await temporaryFolder();
    await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
    return folder;
  };

  it('accepts new and empty folders, and accepts them again', async () => {
    const parent = await temporaryFolder();
    for (const folder of [join(parent, 'new/data'), await folderWith()]) {
      await claimDataFolder(folder);
      await writeFile(join(folder, 'anything'), '');
      await claimDataFolder(folder);
    }
  });

  it('accepts a folder with only the files that exist before the first job', async () => {
    await claimDataFolder(await folderWith('service.log', 'service.log.1', 'stopped', 'key'));
  });

  it('accepts a folder of an older version with a state file', async () => {
    const folder = await folderWith('other');
    const state = { version: 1, pid: 1, startTime: '1', port: 1, build: 'x' };
    await writeFile(join(folder, 'state.json'), JSON.stringify(state));
    await claimDataFolder(folder);
  });

  it('rejects a folder with the user’s files and leaves it unchanged', async () => {
    const folder = await folderWith('README.md', 'state.json');
    await mkdir(join(folder, 'push'));
    await assert.rejects(
      claimDataFolder(folder),
      (error) => error instanceof UsageError && error.message.includes('contains files from another program'),
    );
    assert.deepEqual((await readdir(folder)).toSorted(), ['README.md', 'push', 'state.json']);
  });

  describe('with a database', () => {
    const sqlite = process.getBuiltinModule('node:sqlite');
    before(function () {
      if ((sqlite as unknown) === undefined) {
        this.skip();
      }
    });

    it('accepts a folder of an older version', async () => {
      const folder = await folderWith('other');
      await SqliteJobStore.open(join(folder, 'service.db')).close();
      await claimDataFolder(folder);
    });

    it('accepts a folder whose database another service has locked', async () => {
      const folder = await folderWith('other');
      const store = SqliteJobStore.open(join(folder, 'service.db'));
      await claimDataFolder(folder);
      await store.close();
    });

    it('rejects a database of another program and leaves it unchanged', async () => {
      const withText = await folderWith();
      await writeFile(join(withText, 'service.db'), 'No database');
      const withTables = await folderWith();
      const other = new sqlite.DatabaseSync(join(withTables, 'service.db'));
      other.exec('CREATE TABLE jobs (id TEXT); PRAGMA user_version = 7');
      other.close();
      for (const folder of [await folderWith('service.db'), withText, withTables]) {
        const before = await readFile(join(folder, 'service.db'));
        await assert.rejects(claimDataFolder(folder), /contains files from another program/);
        assert.deepEqual(await readdir(folder), ['service.db']);
        assert.deepEqual(await readFile(join(folder, 'service.db')), before);
      }
    });
  });
});
