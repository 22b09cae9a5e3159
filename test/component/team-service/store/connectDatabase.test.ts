import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/async';
import type { Database, Query } from '../../../../src/local-service/store/database';
import { ClaimLost } from '../../../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { connectDatabase, isDatabaseBusy, steadyDatabase } from '../../../../src/team-service/store/connectDatabase';
import { openTeamStore } from '../../../../src/team-service/store/teamStore';
import { connect, DatabaseRelay, noQueue, usePostgres } from '../../../support/storeBackends';
import { NO_LIMIT, sampleJob } from '../../../support/sampleTurn';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('connectDatabase', () => {
  const used = usePostgres();
  const open = (url: string, answerMs?: number): Database => {
    const options = answerMs === undefined ? {} : { answerMs };
    const database = connectDatabase({ url, connections: 4, clock: systemClock, log, ...options });
    used.toClose.push(database);
    return database;
  };
  const loseConnection = ({ query }: Query) => query('SELECT pg_terminate_backend(pg_backend_pid())');

  // A pitfall of pg-boss and LISTEN: both need a dedicated connection, not one per transaction.
  it('refuses a database whose notifications do not arrive', async () => {
    const database = open(used.url);
    await database.query('CREATE FUNCTION pg_notify(text, text) RETURNS void LANGUAGE sql AS $$$$');
    await database.query('ALTER ROLE CURRENT_USER SET search_path = public, pg_catalog');
    try {
      await assert.rejects(openTeamStore(open(used.url), noQueue), /pool of sessions/);
    } finally {
      await database.query('ALTER ROLE CURRENT_USER RESET search_path');
    }
  });

  it('does not reuse a connection whose transaction could not be rolled back', async () => {
    const database = open(used.url);
    await assert.rejects(database.transaction(loseConnection));
    await Promise.all(Array.from({ length: 20 }, () => database.query('SELECT 1')));
  });

  it('waits no longer than its limit for the answers of a machine that was lost', async () => {
    const relay = await DatabaseRelay.start(used.url);
    const database = open(relay.url, 200);
    try {
      await Promise.all([1, 2, 3, 4].map(() => database.query('SELECT 1')));
      relay.loseAll();
      const ask = ({ query }: Query) => query('SELECT 1');
      for (const lost of [ask(database), ask(database), database.transaction(ask), database.transaction(ask)]) {
        await assert.rejects(lost, /timeout/);
      }
      assert.deepEqual(await database.query('SELECT 1 AS one'), [{ one: 1 }]);
    } finally {
      relay.close();
    }
  });

  describe('while another process holds the lock for creating jobs in a project', () => {
    let store: SqlJobStore;
    beforeEach(async () => {
      store = await openTeamStore(open(used.url, 1_500), noQueue);
      for (const id of ['p1', 'p2']) {
        await store.putProject({ id, name: id, folder: `https://git.example/${id}.git` });
      }
    });
    const create = (projectId: string, id: string) => store.createJob(sampleJob({ id, projectId }), 'x', NO_LIMIT);
    const hold = async (work: (query: Query) => Promise<unknown>): Promise<{ ended: Promise<void> }> => {
      let onHeld: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (onHeld = resolve));
      const ended = open(used.url, 1_500).transaction(async (transaction) => {
        await transaction.lock('create p1');
        onHeld();
        await work(transaction);
      });
      await Promise.race([held, ended]);
      return { ended };
    };
    const isRefused = (creating: Promise<unknown>) => assert.rejects(creating, (error) => isDatabaseBusy(error));

    it('lets other projects work, and ends a transaction that hangs', async () => {
      let goOn: () => void = () => undefined;
      const pause = new Promise<void>((resolve) => (goOn = resolve));
      const { ended } = await hold(() => pause);
      // As many as there are connections.
      const refused = ['j1', 'j2', 'j3', 'j4'].map((id) => isRefused(create('p1', id)));
      await create('p2', 'own');
      await Promise.all(refused);
      const isCreated = () =>
        create('p1', 'later').then(
          () => true,
          () => false,
        );
      for (const start = Date.now(); !(await isCreated());) {
        assert.ok(Date.now() - start < 20_000, 'it took too long');
      }
      goOn();
      await assert.rejects(ended);
    });

    it('ends a statement that hangs, and releases its locks', async () => {
      const { ended } = await hold((query) => query.query('SELECT pg_sleep(60)'));
      await isRefused(ended);
      await create('p1', 'j1');
    });
  });

  describe('with steadyDatabase', () => {
    let plain: Database;
    beforeEach(async () => {
      plain = connect(used.url);
      used.toClose.push(plain);
      await plain.query('CREATE TABLE words (word text UNIQUE)');
    });
    const steady = (mayRepeat: () => boolean) => steadyDatabase(plain, { mayRepeat, clock: systemClock, log });

    it('repeats a transaction whose connection was lost', async () => {
      let times = 0;
      await steady(() => true).transaction(async (transaction) => {
        times += 1;
        await transaction.query("INSERT INTO words VALUES ('once')");
        if (times === 1) {
          await loseConnection(transaction);
        }
      });
      assert.deepEqual([times, await plain.query('SELECT * FROM words')], [2, [{ word: 'once' }]]);
    });

    it('gives up when repeating is no longer allowed', async () => {
      let left = 2;
      await assert.rejects(loseConnection(steady(() => left-- > 0)), { code: '57P01' });
      assert.equal(left, -1);
    });

    it('does not repeat what can’t succeed', async () => {
      const database = steady(() => assert.fail('repeated'));
      await assert.rejects(database.query('SELECT nonsense'), { code: '42703' });
      await database.query("INSERT INTO words VALUES ('once')");
      await assert.rejects(database.query("INSERT INTO words VALUES ('once')"), { code: '23505' });
      const lost = new ClaimLost({ id: 1, jobId: 'j1', attempt: 1 });
      await assert.rejects(
        database.transaction(() => Promise.reject(lost)),
        lost,
      );
    });
  });
});
