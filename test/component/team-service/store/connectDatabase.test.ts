import assert from 'node:assert/strict';
import { delay, systemClock } from '../../../../src/base/async';
import { describeError } from '../../../../src/base/redact';
import type { Database, Query } from '../../../../src/local-service/store/database';
import { ClaimLost } from '../../../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { connectDatabase, isDatabaseBusy, steadyDatabase } from '../../../../src/team-service/store/connectDatabase';
import { openTeamStore } from '../../../../src/team-service/store/teamStore';
import { TurnQueue } from '../../../../src/team-service/turnQueue';
import { unusedPort } from '../../../support/machine';
import { connect, DatabaseRelay, noQueue, setReadOnly, usePostgres } from '../../../support/storeBackends';
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

  describe('says whether a statement may have done something', () => {
    let relay: DatabaseRelay;
    beforeEach(async () => {
      relay = await DatabaseRelay.start(used.url);
      await open(used.url).query(`
        CREATE TABLE words (word text);
        CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER lost AFTER INSERT ON words DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW WHEN (NEW.word = 'lost') EXECUTE FUNCTION lose()`);
    });
    afterEach(() => relay.close());
    const insert = ({ query }: Query, word = 'once') => query('INSERT INTO words VALUES ($1)', [word]);

    const CASES: Record<string, { fail: () => Promise<unknown>; code: string; isBusy: boolean }> = {
      'when nothing listens': {
        fail: async () => insert(open(`postgres://x@127.0.0.1:${await unusedPort()}/x`)),
        code: 'ECONNREFUSED',
        isBusy: true,
      },
      'when the connection is closed at once': {
        fail: async () => {
          relay.target = await unusedPort();
          return insert(open(relay.url));
        },
        code: '08001',
        isBusy: true,
      },
      'when the connection was lost before COMMIT': {
        fail: () =>
          open(used.url).transaction(async (transaction) => {
            await insert(transaction);
            await loseConnection(transaction);
          }),
        code: '57P01',
        isBusy: true,
      },
      'when the connection was lost at COMMIT': {
        fail: () => open(used.url).transaction((transaction) => insert(transaction, 'lost')),
        code: '57P01',
        isBusy: false,
      },
      'when the connection was lost while it read': {
        fail: () => loseConnection(open(used.url)),
        code: '57P01',
        isBusy: true,
      },
      'when the connection was lost while it wrote': {
        fail: () => insert(open(used.url), 'lost'),
        code: '57P01',
        isBusy: false,
      },
      'when the database is read-only': {
        fail: async () => {
          await setReadOnly(used.url, true);
          await insert(open(used.url));
        },
        code: '25006',
        isBusy: true,
      },
    };
    for (const [when, { fail, code, isBusy }] of Object.entries(CASES)) {
      it(when, async () => {
        await assert.rejects(fail(), (error: { code?: unknown; message: string }) => {
          assert.deepEqual({ code: error.code, isBusy: isDatabaseBusy(error) }, { code, isBusy });
          return error.message !== '';
        });
      });
    }

    for (const { what, fail, mend } of [
      {
        what: 'a server behind a balancer is up again',
        fail: async () => (relay.target = await unusedPort()),
        mend: async () => (relay.target = Number(new URL(used.url).port)),
      },
      {
        what: 'a standby has become the primary',
        fail: () => setReadOnly(used.url, true),
        mend: () => setReadOnly(used.url, false),
      },
    ]) {
      it(`repeats work until ${what}`, async () => {
        await fail();
        let attempts = 0;
        const mayRepeat = () => (attempts += 1) > 0;
        const work = insert(steadyDatabase(open(relay.url), { mayRepeat, clock: systemClock, log }));
        while (attempts < 2) {
          await delay(systemClock, 50);
        }
        await mend();
        await work;
        assert.deepEqual(await open(used.url).query('SELECT word FROM words'), [{ word: 'once' }]);
      });
    }

    it('says once that connections were lost, why the one for notifications can’t be had again, and that it can', async () => {
      const lines: string[] = [];
      const warn = (text: string, error: unknown) => lines.push(`${text}: ${describeError(error)}`);
      const info = (text: string) => lines.push(text);
      const options = { url: relay.url, connections: 3, clock: systemClock, log: { ...log, warn, info } };
      const database = connectDatabase(options);
      used.toClose.push(database);
      await database.listen(() => undefined);
      await Promise.all([1, 2, 3].map(() => database.query('SELECT pg_sleep(0.1)')));
      const port = relay.target;
      relay.target = await unusedPort();
      const others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend'";
      await open(used.url).query(`${others} AND datname = current_database() AND pid <> pg_backend_pid()`);
      await delay(systemClock, 1_800);
      relay.target = port;
      await delay(systemClock, 1_800);
      const what = 'lost the connection for notifications:';
      const why = 'terminating connection due to administrator command (57P01)';
      assert.deepEqual(
        [lines.slice(0, 2).toSorted(), ...lines.slice(2)],
        [
          [`connections to the database that were lost: 1: ${why}`, `${what} ${why}`],
          `${what} Connection terminated unexpectedly (08001)`,
          'the database answers again',
        ],
      );
    });
  });

  for (const isolation of ['repeatable read', 'serializable']) {
    it(`keeps its own settings where the role has others, such as transactions that are ${isolation}`, async () => {
      const lines: string[] = [];
      const warn = (text: string, error: unknown) => lines.push(`${text}: ${describeError(error)}`);
      const settings = { default_transaction_isolation: isolation, datestyle: 'German', idle_session_timeout: '300ms' };
      for (const [name, value] of Object.entries(settings)) {
        const database = `IN DATABASE ${new URL(used.url).pathname.slice(1)}`;
        await open(used.url).query(`ALTER ROLE CURRENT_USER ${database} SET ${name} = '${value}'`);
      }
      const openStore = async (): Promise<SqlJobStore> => {
        const options = { url: used.url, connections: 10, clock: systemClock, log: { ...log, warn } };
        const database = connectDatabase(options);
        used.toClose.push(database);
        const queue = await TurnQueue.open(database, { supervise: false }, options.log);
        used.toClose.push(queue);
        const store = await openTeamStore(database, queue.enqueue);
        await store.putProject({ id: 'p1', name: 'p1', folder: 'https://git.example/p1.git' });
        // The queue needs the time when it was opened.
        const [row] = await database.query('SELECT started_on AS at FROM pgboss.instance');
        assert.ok(row?.['at'] instanceof Date);
        return store;
      };
      const stores = [await openStore(), await openStore()];
      const creating = Array.from({ length: 30 }, (_, index) =>
        stores.map((store, each) => store.createJob(sampleJob({ id: `j${index}.${each}` }), 'x', 10)),
      );
      const created = (await Promise.all(creating.flat())).filter((admission) => 'job' in admission);
      await delay(systemClock, 600);
      assert.deepEqual({ created: created.length, lines }, { created: 10, lines: [] });
    });
  }

  it('needs no right to create a schema if that of the queue exists, and else says how to create it', async () => {
    const role = `${new URL(used.url).pathname.slice(1)}_user`;
    const { query } = open(used.url);
    await query(`CREATE ROLE ${role}; CREATE SCHEMA AUTHORIZATION ${role}`);
    try {
      const database = open(`${used.url}?options=${encodeURIComponent(`-c role=${role}`)}`);
      const openQueue = () => TurnQueue.open(database, { supervise: false }, log);
      await assert.rejects(openQueue(), new RegExp(`“CREATE SCHEMA pgboss AUTHORIZATION ${role}”`));
      await query(`CREATE SCHEMA pgboss AUTHORIZATION ${role}`);
      const queue = await openQueue();
      const store = await openTeamStore(database, queue.enqueue);
      await store.putProject({ id: 'p1', name: 'p1', folder: 'https://git.example/p1.git' });
      assert.ok('job' in (await store.createJob(sampleJob(), 'x', NO_LIMIT)));
      await queue.close();
    } finally {
      await query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
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
      // More than there are connections.
      const refused = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => isRefused(create('p1', `j${number}`)));
      const created = create('p2', 'own').then(() => 'created');
      assert.equal(await Promise.race([created, ...refused]), 'created');
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
