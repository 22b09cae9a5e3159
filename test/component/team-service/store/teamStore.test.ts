import assert from 'node:assert/strict';
import pg from 'pg';
import { USER_REASON } from '../../../../src/local-service/jobs/jobStatus';
import type { Enqueue, SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { openTeamStore } from '../../../../src/team-service/store/teamStore';
import { TURN_QUEUE, TurnQueue } from '../../../../src/team-service/turnQueue';
import type { ActivityEvent } from '../../../../src/protocol/activity';
import { claim, createTurn, followUp, NO_LIMIT, sampleJob } from '../../../support/sampleTurn';
import { connect, noQueue, usePostgres } from '../../../support/storeBackends';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const project = { id: 'p1', name: 'docs', folder: 'https://git.example/docs.git' };
const message = (text: string) => ({ kind: 'message' as const, text });

/** What a team’s store has beyond a store in any database: several processes, and the queue. */
describe('store in PostgreSQL', () => {
  const used = usePostgres();

  /** Opens the store as another process would. */
  const open = async (enqueue: Enqueue = noQueue, database = connect(used.url)): Promise<SqlJobStore> => {
    const store = await openTeamStore(database, enqueue);
    used.toClose.push(store);
    await store.putProject(project);
    return store;
  };
  const administer = async (statement: string): Promise<pg.QueryResult<Record<string, unknown>>> => {
    const client = new pg.Client(used.url);
    await client.connect();
    const result = await client.query<Record<string, unknown>>(statement);
    await client.end();
    return result;
  };
  const until = async (isTrue: () => boolean): Promise<void> => {
    for (const start = Date.now(); !isTrue();) {
      assert.ok(Date.now() - start < 20_000, 'it took too long');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  it('gets its tables once when several processes start at the same time', async () => {
    await Promise.all([1, 2, 3, 4].map(() => open()));
    const { rows } = await administer('SELECT version FROM schema_version');
    assert.equal(rows.length, 1);
  });

  it('works with the database of a newer version until that version drops something', async () => {
    await open();
    await administer('UPDATE schema_version SET version = 2');
    await open();
    await administer('UPDATE schema_version SET works_with = 2');
    await assert.rejects(open(), { exitCode: 4, message: /newer version/ });
  });

  it('shows each event once to a reader that continues after its last one, while several processes write', async () => {
    const [reader, ...writers] = await Promise.all([open(), open(), open(), open()]);
    const turn = await claim(reader, await createTurn(reader, sampleJob(), 'x'));
    let isWriting = true;
    const seen: ActivityEvent[] = [];
    const read = async (): Promise<void> => {
      for (let isLast = false; !isLast;) {
        isLast = !isWriting;
        seen.push(...(await reader.activity('j1', seen.at(-1)?.id ?? 0, 50)));
      }
    };
    const write = async (store: SqlJobStore, name: number): Promise<void> => {
      for (let round = 0; round < 60; round++) {
        await store.addActivity(turn, [message(`${name}.${round}.a`), message(`${name}.${round}.b`)]);
      }
    };
    const reading = read();
    await Promise.all(writers.map(write));
    isWriting = false;
    await reading;
    const stored = await reader.activity('j1', 0, 10_000);
    assert.equal(stored.length, 2 + 3 * 60 * 2);
    assert.deepEqual(seen, stored);
  });

  it('lists the newest ended jobs with a branch that one worker has', async () => {
    const store = await open();
    for (const [id, worker] of [
      ['j1', 'ada'],
      ['j2', 'ada'],
      ['j3', 'bob'],
    ] as const) {
      const turn = await claim(store, await createTurn(store, sampleJob({ id }), 'x'));
      await store.recordCommit(turn, 'c1', null);
      await store.finishTurn(turn, 'failed');
      await administer(`UPDATE jobs SET worker = '${worker}' WHERE id = '${id}'`);
    }
    const listed = async (limit: number, worker?: string) =>
      (await store.openJobs(limit, worker)).map(({ id }) => id).toSorted();
    assert.deepEqual(await listed(9), ['j1', 'j2', 'j3']);
    assert.deepEqual(await listed(9, 'ada'), ['j1', 'j2']);
    assert.deepEqual(await listed(1, 'bob'), ['j3']);
  });

  it('reports that notifications may have been missed when their connection was lost', async () => {
    const store = await open();
    const told: (string | undefined)[] = [];
    store.onActivity((jobId) => told.push(jobId));
    const others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
    assert.equal((await administer(others)).rowCount, 1);
    await until(() => told.length > 0);
    assert.equal(told.includes(undefined), true);
    await createTurn(store, sampleJob(), 'x');
    await until(() => told.includes('j1'));
  });

  describe('with the queue', () => {
    const openBoth = async () => {
      const database = connect(used.url);
      const queue = await TurnQueue.open(database, { supervise: false }, log);
      const store = await open(queue.enqueue, database);
      used.toClose.push(queue);
      return { queue, store };
    };
    const items = async () => (await administer('SELECT data, singleton_key FROM pgboss.job ORDER BY created_on')).rows;

    it('adds an item for each turn in the transaction of the request', async () => {
      const { store } = await openBoth();
      const first = await createTurn(store, sampleJob(), 'x');
      const second = await followUp(store, 'j1', 'y');
      await store.createJob(sampleJob({ id: 'j2' }), 'x', 1);
      await assert.rejects(store.createJob(sampleJob(), 'again', NO_LIMIT));
      assert.deepEqual(
        await items(),
        [first, second].map(({ id }) => ({ data: { jobId: 'j1', turnId: id }, singleton_key: 'j1' })),
      );
    });

    it('stores nothing when the queue accepts no item', async () => {
      const { store, queue } = await openBoth();
      await queue.boss.deleteQueue(TURN_QUEUE);
      await assert.rejects(store.createJob(sampleJob(), 'x', NO_LIMIT));
      assert.equal(await store.job('j1'), undefined);
    });

    it('hands out one item of a job at a time, in order', async () => {
      const { store, queue } = await openBoth();
      const [first, second, other] = [
        await createTurn(store, sampleJob(), 'x'),
        await followUp(store, 'j1', 'y'),
        await createTurn(store, sampleJob({ id: 'j2' }), 'x'),
      ];
      const fetch = () => queue.boss.fetch<{ turnId: number }>(TURN_QUEUE, { batchSize: 9 });
      const given = await fetch();
      assert.deepEqual(given.map(({ data }) => data.turnId).toSorted(), [first.id, other.id]);
      assert.deepEqual(await fetch(), []);
      await queue.boss.complete(
        TURN_QUEUE,
        given.map(({ id }) => id),
      );
      assert.deepEqual(
        (await fetch()).map(({ data }) => data.turnId),
        [second.id],
      );
    });

    // A pitfall of pg-boss: canceling an item frees the job at once, while its worker may still edit the clone.
    it('leaves the item of a running turn alone when a newer message arrives', async () => {
      const { store, queue } = await openBoth();
      await claim(store, await createTurn(store, sampleJob(), 'x'));
      const [running] = await queue.fetch(9, []);
      await followUp(store, 'j1', 'y');
      await store.requestStop('j1', USER_REASON);
      assert.deepEqual(await queue.fetch(9, []), []);
      assert.deepEqual(await queue.touch([running!]), new Set([running!.id]));
    });

    // A pitfall of pg-boss: by default, an item that takes longer than 15 minutes is given to another worker.
    it('lets a turn take as long as it needs while its worker sends heartbeats, also if the queue is opened again', async () => {
      for (let time = 1; time <= 2; time++) {
        const { store, queue } = await openBoth();
        await createTurn(store, sampleJob({ id: `j${time}` }), 'x');
        assert.equal((await queue.boss.getQueue(TURN_QUEUE))?.policy, 'key_strict_fifo');
      }
      const { rows } = await administer('SELECT expire_seconds, heartbeat_seconds, retry_limit FROM pgboss.job');
      assert.deepEqual(
        rows,
        Array.from({ length: 2 }, () => ({ expire_seconds: 86_400, heartbeat_seconds: 60, retry_limit: 1_000_000 })),
      );
    });
  });
});
