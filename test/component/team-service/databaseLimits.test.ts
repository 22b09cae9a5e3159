import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/async';
import { connectDatabase, isDatabaseBusy } from '../../../src/team-service/store/connectDatabase';
import type { Database, Query } from '../../../src/local-service/store/database';
import type { SqlJobStore } from '../../../src/local-service/store/sqlJobStore';
import { openTeamStore } from '../../../src/team-service/store/teamStore';
import { NO_LIMIT, sampleJob } from '../../support/sampleTurn';
import { postgresServer } from '../../support/postgresServer';
import { createDatabase, noQueue } from '../../support/storeBackends';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What another process may do to the database: hang while it holds what others need. */
describe('limits of a connection to the database', function () {
  let store: SqlJobStore;
  let other: Database;
  let remove: () => Promise<void>;
  before(async function () {
    if (typeof (await postgresServer()) === 'string') {
      this.skip();
    }
  });
  beforeEach(async () => {
    const created = await createDatabase();
    ({ remove } = created);
    const open = () => connectDatabase({ url: created.url, connections: 4, answerMs: 1_500, clock: systemClock, log });
    store = await openTeamStore(open(), noQueue);
    other = open();
    for (const id of ['p1', 'p2']) {
      await store.putProject({ id, name: id, folder: `https://git.example/${id}.git` });
    }
  });
  afterEach(async () => {
    await store.close();
    await other.close();
    await remove();
  });

  /** Does the work in a transaction that holds the lock for creating jobs in `p1`. */
  const hold = async (work: (query: Query) => Promise<unknown>): Promise<{ ended: Promise<void> }> => {
    let onHeld: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (onHeld = resolve));
    const ended = other.transaction(async (query) => {
      await query.query("SELECT pg_advisory_xact_lock(hashtextextended('create p1', 0))");
      onHeld();
      await work(query);
    });
    await Promise.race([held, ended]);
    return { ended };
  };
  const create = (projectId: string, id: string) => store.createJob(sampleJob({ id, projectId }), 'x', NO_LIMIT);
  const isRefused = (creating: Promise<unknown>) => assert.rejects(creating, (error) => isDatabaseBusy(error));

  it('let other projects work while a transaction hangs, and end that transaction', async () => {
    let goOn: () => void = () => undefined;
    const pause = new Promise<void>((resolve) => (goOn = resolve));
    const { ended } = await hold(() => pause);
    // As many as there are connections.
    const refused = ['j1', 'j2', 'j3', 'j4'].map((id) => isRefused(create('p1', id)));
    await create('p2', 'own');
    await Promise.all(refused);
    let isCreated = false;
    for (const start = Date.now(); !isCreated;) {
      assert.ok(Date.now() - start < 20_000, 'it took too long');
      isCreated = await create('p1', 'later').then(
        () => true,
        () => false,
      );
    }
    goOn();
    await assert.rejects(ended);
  });

  it('end a statement that hangs, and release the locks of its transaction', async () => {
    const { ended } = await hold((query) => query.query('SELECT pg_sleep(60)'));
    await isRefused(ended);
    await create('p1', 'j1');
  });
});
