import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { Listener } from '../../../src/local-service/http/listen';
import { startApi } from '../../../src/team-service/api';
import { KeyStore } from '../../../src/team-service/store/keyStore';
import type { SqlJobStore } from '../../../src/local-service/store/sqlJobStore';
import { openTeamStore } from '../../../src/team-service/store/teamStore';
import { parseApi } from '../../../src/team-service/teamCommandLine';
import { postgresServer } from '../../support/postgresServer';
import { connect, createDatabase, noQueue } from '../../support/storeBackends';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface Answer {
  status: number;
  retryAfter: string | undefined;
  body: string;
}

/** What one API process answers when it has too much to do, and when its database has no space. */
describe('API process of a team’s service', function () {
  let remove: () => Promise<void>;
  let key: string;
  let api: Listener;
  let store: SqlJobStore;
  let administer: (statement: string) => Promise<unknown>;

  before(async function () {
    const server = await postgresServer();
    if (typeof server === 'string') {
      console.log(`      skipped: ${server}`);
      this.skip();
    }
  });
  beforeEach(async () => {
    const database = await createDatabase();
    ({ remove } = database);
    const connection = connect(database.url);
    store = await openTeamStore(connection, noQueue);
    await store.putProject({ id: 'p1', name: 'docs', folder: 'https://git.example/docs.git' });
    ({ key } = await new KeyStore(connection).create({ role: 'admin', projects: ['p1'] }));
    api = await startApi(parseApi(['--database', database.url, '--port', '0', '--rate-limit', '10000'], {}), log);
    administer = (statement) => connection.query(statement);
  });
  afterEach(async () => {
    await api.close();
    await store.close();
    await remove();
  });

  /** Sends a request over its own connection. Rejects if the connection is reset. */
  const ask = (method: 'GET' | 'POST', path: string, body?: object) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' };
      const options = { agent: false, host: '127.0.0.1', port: api.port, method, headers };
      const sent = request({ ...options, path }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('error', reject);
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], body: text });
        });
      });
      sent.on('error', reject).end(body && JSON.stringify(body));
    });
  const create = () => ask('POST', '/v2/agent/p1/job', { prompt: 'Document the limits' });
  const count = async () => (await store.jobs('p1', 1_000)).length;

  it('serves 300 clients at once', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => ask('GET', '/v2/agent/p1/jobs')));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  });

  it('answers 503 with a time to retry when there are more clients, and resets no connection', async () => {
    const answers = await Promise.all(Array.from({ length: 420 }, create));
    const refused = answers.filter(({ status }) => status === 503);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].toSorted(), [201, 503]);
    assert.ok(refused.every(({ retryAfter }) => Number(retryAfter) > 0));
    // Refused requests had no effect.
    assert.equal(await count(), answers.length - refused.length);
  });

  it('answers 507 and stores nothing when the database has no space', async () => {
    await administer(`
      CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''could not extend file'' USING ERRCODE = ''disk_full''; END'`);
    await administer('CREATE TRIGGER fill BEFORE INSERT ON turns FOR EACH ROW EXECUTE FUNCTION fill()');
    const { status, body } = await create();
    assert.equal(status, 507);
    assert.match(body, /disk is full/);
    assert.equal(await count(), 0);
    await administer('DROP TRIGGER fill ON turns');
    assert.equal((await create()).status, 201);
  });
});
