import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openDatabase } from '../../../../src/local-service/store/openDatabase';
import { SqliteJobStore } from '../../../../src/local-service/store/sqliteJobStore';
import { projectSettingsSchema } from '../../../../src/protocol/localService';
import { temporaryFolder } from '../../../support/temporaryRepository';

/** A database exactly as version 1 created it, with typical data. */
const VERSION_1 = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE projects (id TEXT PRIMARY KEY, name TEXT NOT NULL, folder TEXT NOT NULL, agent_command TEXT NOT NULL) STRICT;
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id), model TEXT NOT NULL, repository TEXT NOT NULL,
    base_commit TEXT, base_branch TEXT, capability TEXT NOT NULL, published_commit TEXT, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE turns (
    id INTEGER PRIMARY KEY, job_id TEXT NOT NULL REFERENCES jobs (id), project_id TEXT NOT NULL, operation TEXT NOT NULL,
    prompt TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX turns_by_job ON turns (job_id);
  CREATE INDEX turns_by_time ON turns (project_id, operation, created_at);
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  PRAGMA user_version = 1;
  INSERT INTO projects VALUES ('p1', 'docs', '/docs', '["agent","with \\"quotes\\"","ünï"]'), ('p2', 'none', '/x', '[]');
  INSERT INTO jobs VALUES ('j1', 'p1', 'agent', 'file:///docs', 'abc', 'main', 'cap', 'def', 1000);
  INSERT INTO turns VALUES (1, 'j1', 'p1', 'create', 'first', 'done', NULL, 1000);
  INSERT INTO turns VALUES (2, 'j1', 'p1', 'message', 'second', 'running', NULL, 2000);
  INSERT INTO meta VALUES ('port', '4000');
`;

describe('database migrations', () => {
  before(function () {
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });

  async function fileOfVersion1(more = ''): Promise<string> {
    const { DatabaseSync } = await import('node:sqlite');
    const file = join(await temporaryFolder(), 'service.db');
    const database = new DatabaseSync(file);
    database.exec(VERSION_1 + more);
    database.close();
    return file;
  }

  it('upgrade a database of version 1 with all its data', async () => {
    const store = SqliteJobStore.open(await fileOfVersion1());
    try {
      const custom = { agent: 'custom', command: ['agent', 'with "quotes"', 'ünï'] };
      assert.deepEqual((await store.project('p1'))?.settings, projectSettingsSchema.parse(custom));
      assert.deepEqual((await store.project('p2'))?.settings, projectSettingsSchema.parse({}));
      const job = await store.job('j1');
      assert.deepEqual(
        [job?.baseCommit, job?.baseBranch, job?.publishedCommit, job?.prLink, job?.archivedAt],
        ['abc', 'main', 'def', null, null],
      );
      assert.equal(job?.branch, 'docs-agent/j1', 'old jobs keep their branch');
      assert.deepEqual(
        (await store.turns('j1')).map(({ prompt, state, attempt }) => [prompt, state, attempt]),
        [
          ['first', 'done', 0],
          ['second', 'running', 0],
        ],
      );
      assert.equal(store.lastPort(), 4000);
      await store.finishTurn({ id: 2, jobId: 'j1', attempt: 0 }, 'done');
      assert.equal((await store.story('j1', 0, 9))[0]?.turn, 2);
    } finally {
      await store.close();
    }
  });

  it('produce the same tables as a new database', async () => {
    const tables = (file: string): unknown[] => {
      const database = openDatabase(file);
      const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
      const columns = database.prepare(
        'SELECT name, type, "notnull", dflt_value FROM pragma_table_info(?) ORDER BY cid',
      );
      const all = names.map((row) => [row['name'], columns.all(row['name'] as string)]);
      const version = database.prepare('PRAGMA user_version').get();
      database.close();
      return [version, all];
    };
    const fresh = join(await temporaryFolder(), 'service.db');
    assert.deepEqual(tables(await fileOfVersion1()), tables(fresh));
  });

  it('leave the file unchanged when they fail and reject a database of a newer version', async () => {
    const broken = await fileOfVersion1('CREATE TABLE story (x);');
    assert.throws(() => SqliteJobStore.open(broken), /story/);
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(broken);
    assert.equal(database.prepare('PRAGMA user_version').get()?.['user_version'], 1);
    assert.ok(database.prepare('SELECT agent_command FROM projects').all().length > 0);
    database.close();
    const newer = await fileOfVersion1('PRAGMA user_version = 99;');
    assert.throws(() => SqliteJobStore.open(newer), { exitCode: 4, message: /newer version.*--data/ });
  });
});
