import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/async';
import { ClaimLost } from '../../../src/local-service/store/jobStore';
import type { Query } from '../../../src/local-service/store/database';
import { steadyDatabase } from '../../../src/team-service/store/steadyDatabase';
import { postgresServer } from '../../support/postgresServer';
import { connect, createDatabase } from '../../support/storeBackends';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('steadyDatabase', function () {
  let plain: ReturnType<typeof connect>;
  let remove: () => Promise<void>;
  before(async function () {
    if (typeof (await postgresServer()) === 'string') {
      this.skip();
    }
  });
  beforeEach(async () => {
    const created = await createDatabase();
    ({ remove } = created);
    plain = connect(created.url);
    await plain.query('CREATE TABLE words (word text UNIQUE)');
  });
  afterEach(async () => {
    await plain.close();
    await remove();
  });

  const steady = (mayRepeat: () => boolean) => steadyDatabase(plain, { mayRepeat, clock: systemClock, log });
  const loseConnection = ({ query }: Query) => query('SELECT pg_terminate_backend(pg_backend_pid())');

  it('repeats a transaction whose connection was lost', async () => {
    let times = 0;
    await steady(() => true).transaction(async (query) => {
      times += 1;
      await query.query("INSERT INTO words VALUES ('once')");
      if (times === 1) {
        await loseConnection(query);
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
