import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import pg from 'pg';
import { coded } from '../../../src/protocol/codedText';
import type { Listener } from '../../../src/local-service/http/listen';
import { startApi } from '../../../src/team-service/api';
import { manage } from '../../../src/team-service/manage';
import type { SqlJobStore } from '../../../src/local-service/store/sqlJobStore';
import { WORKER_TIMINGS } from '../../../src/team-service/worker';
import { WorkerClaims } from '../../../src/team-service/workerClaims';
import { openTeamStore } from '../../../src/team-service/store/teamStore';
import { parseApi, parseManage } from '../../../src/team-service/teamCommandLine';
import { Authority } from '../../support/certificates';
import { postgresServer } from '../../support/postgresServer';
import { connect, createDatabase, noQueue, setReadOnly } from '../../support/storeBackends';
import { temporaryFolder } from '../../support/temporaryRepository';

const lines: string[] = [];
const log = {
  info: (line: string) => lines.push(line),
  warn: (line: string) => lines.push(line),
  error: () => undefined,
};
const REPOSITORY = 'https://git.example/team/docs.git';

interface Job {
  id: string;
  status: string;
  prLink: string | null;
  source: { repository: string; ref: string | null };
  surroundings?: { queued?: true };
}

/** API processes, here in one process, on one database. */
describe('API of the service for a team', function () {
  let url: string;
  let remove: () => Promise<void>;
  let project: string;
  let key: string;
  const started: Listener[] = [];
  const stores: Pick<SqlJobStore, 'close'>[] = [];

  before(async function () {
    const server = await postgresServer();
    if (typeof server === 'string') {
      console.log(`      skipped: ${server}`);
      this.skip();
    }
  });
  beforeEach(async () => {
    ({ url, remove } = await createDatabase());
    project = (await run('project', 'add', '--repository', REPOSITORY)).trim();
    key = await newKey('--project', project);
  });
  afterEach(async () => {
    await Promise.all([...started.splice(0), ...stores.splice(0)].map((each) => each.close()));
    await remove();
  });

  const run = (...args: string[]) => manage(parseManage([...args, '--database', url], {}, Date.now()), log);
  const newKey = async (...args: string[]): Promise<string> => {
    const printed = await run('key', 'create', ...args);
    assert.match(printed, /^team_\S+\n$/);
    return printed.trim();
  };
  /** The ID of the key that was created last, from the log. */
  const newestId = () => lines.flatMap((line) => /^created key (\w+);/.exec(line)?.[1] ?? []).at(-1) ?? '';
  const start = async (...args: string[]) => {
    const api = await startApi(parseApi(['--database', url, '--port', '0', ...args], {}), log);
    started.push(api);
    return api.port;
  };
  const call = (
    port: number,
    path: string,
    init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
    bearer = key,
  ) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...init.headers },
    });
  const post = (port: number, path: string, body: object = {}, bearer = key) =>
    call(port, path, { method: 'POST', body: JSON.stringify(body) }, bearer);
  const jobs = () => `/v2/agent/${project}/job`;
  const create = async (port: number): Promise<Job> => {
    const answer = await post(port, jobs(), { prompt: 'Document the limits' });
    assert.equal(answer.status, 201);
    return (await answer.json()) as Job;
  };
  /** A store like that of a worker. */
  const openStore = async () => {
    const store = await openTeamStore(connect(url), noQueue);
    stores.push(store);
    return store;
  };

  it('creates a job that is in the queue and known to every other process', async () => {
    const [first, second] = [await start(), await start()];
    const { id, status, prLink, source } = await create(first);
    assert.deepEqual([status, prLink, source], ['active', null, { repository: REPOSITORY, ref: null }]);
    assert.equal(((await (await call(second, `${jobs()}/${id}`)).json()) as Job).id, id);
    // It may be logged after the answer.
    assert.ok(lines.includes(`job ${id}: prompt accepted`));
    assert.equal((await post(second, `${jobs()}/${id}/message`, { prompt: 'Shorter' })).status, 200);
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query("SELECT data->>'jobId' AS job FROM pgboss.job WHERE name = 'turns'");
    await client.end();
    assert.deepEqual(rows, [{ job: id }, { job: id }]);
  });

  it('refuses a blank prompt, which counts for nothing', async () => {
    const port = await start('--rate-limit', '1');
    assert.equal((await post(port, jobs(), { prompt: ' \u00a0\n' })).status, 400);
    assert.equal((await post(port, jobs(), { prompt: 'Document' })).status, 201);
  });

  it('counts the requests of an hour across all processes', async () => {
    const ports = [await start('--rate-limit', '3'), await start('--rate-limit', '3')];
    const asked = [...ports, ...ports, ...ports].map((port) => post(port, jobs(), { prompt: 'Document' }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [201, 201, 201, 429, 429, 429]);
  });

  it('says that a job is queued until a worker takes it', async () => {
    const port = await start();
    const { id, surroundings } = await create(port);
    assert.deepEqual(surroundings, { queued: true });
    const store = await openStore();
    await store.claimTurn((await store.turns(id))[0]!);
    assert.equal(((await (await call(port, `${jobs()}/${id}`)).json()) as Job).surroundings, undefined);
  });

  it('streams what a worker writes from any process, and resumes after the last event', async () => {
    const [first, second] = [await start(), await start()];
    const { id } = await create(first);
    const store = await openStore();
    const [turn] = await store.turns(id);
    const aborter = new AbortController();
    const answer = await call(second, `${jobs()}/${id}/events`, {
      headers: { 'Last-Event-ID': '0' },
      signal: aborter.signal,
    });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    assert.match((await reader.read()).value ?? '', /"state":"queued"/);
    const claimed = await store.claimTurn(turn!);
    const next = (await reader.read()).value ?? '';
    assert.match(next, /"state":"running"/);
    aborter.abort();
    await store.addActivity(claimed!, [{ kind: 'message', text: 'Reading' }]);
    const last = /^id: (\d+)$/m.exec(next)?.[1] ?? '';
    const rest = await call(first, `${jobs()}/${id}/events?follow=false`, { headers: { 'Last-Event-ID': last } });
    const text = await rest.text();
    assert.match(text, /Reading/);
    assert.ok(!text.includes('"state"'));
  });

  it('sends nothing more to a reader whose key was revoked or has expired', async () => {
    const port = await start();
    const { id } = await create(port);
    const store = await openStore();
    for (const end of ['revoke', 'expire']) {
      const secret = await newKey('--project', project, '--role', 'read', '--expires', '1d');
      const keyId = newestId();
      const answer = await call(port, `${jobs()}/${id}/events`, {}, secret);
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
      assert.match((await reader.read()).value ?? '', /"state":"queued"/);
      if (end === 'revoke') {
        await run('key', 'revoke', keyId);
      } else {
        const client = new pg.Client(url);
        await client.connect();
        await client.query('UPDATE api_keys SET expires_at = now_ms() WHERE id = $1', [keyId]);
        await client.end();
      }
      await store.addFollowUp({ id, projectId: project }, 'Confidential', 100);
      assert.deepEqual(await reader.read(), { done: true, value: undefined }, end);
    }
  });

  it('asks the worker to stop a turn, and answers once it has stopped', async () => {
    const port = await start();
    const { id } = await create(port);
    const store = await openStore();
    const claimed = await store.claimTurn((await store.turns(id))[0]!);
    const database = connect(url);
    const claims = new WorkerClaims(database, undefined as never, 'w1', WORKER_TIMINGS, log);
    stores.push(database);
    let stopping: Promise<void> | undefined;
    store.onJob(() => {
      void claims.check([claimed!]).then(async (reasons) => {
        if (reasons.get(claimed!.id) === 'user') {
          // Two changes may be reported before the turn has ended.
          await (stopping ??= store.finishTurn(claimed!, 'cancelled', coded('stoppedByUser')));
        }
      }, log.error);
    });
    assert.equal((await post(port, `${jobs()}/${id}/archive`)).status, 409);
    const answer = await post(port, `${jobs()}/${id}/cancel`);
    assert.deepEqual([answer.status, ((await answer.json()) as Job).status], [200, 'failed']);
    assert.equal(((await (await post(port, `${jobs()}/${id}/archive`)).json()) as Job).status, 'archived');
  });

  it('describes exactly the routes that it serves', async () => {
    const port = await start();
    const { paths } = (await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json()) as { paths: object };
    const job = '/v2/agent/{projectId}/job';
    const more = ['', '/archive', '/cancel', '/events', '/message', '/unarchive'].map(
      (name) => `${job}/{jobId}${name}`,
    );
    assert.deepEqual(Object.keys(paths).toSorted(), [job, ...more, '/v2/agent/{projectId}/jobs']);
    const { id } = await create(port);
    for (const path of ['diff', 'changes', 'image', 'merge', 'review-link', 'close']) {
      assert.equal((await post(port, `${jobs()}/${id}/${path}`)).status, 404, path);
    }
    assert.equal((await call(port, '/local/agents')).status, 404);
  });

  it('allows only what a key is for, until the key is revoked or expires', async () => {
    const other = (await run('project', 'add', '--repository', 'https://git.example/team/other.git')).trim();
    const port = await start();
    const statusOf = async (bearer: string) => (await post(port, jobs(), { prompt: 'Document' }, bearer)).status;
    assert.equal(await statusOf(await newKey('--project', other)), 403);
    assert.equal(await statusOf(`team_${'0'.repeat(64)}`), 401);
    const readOnly = await newKey('--project', project, '--role', 'read');
    assert.equal(await statusOf(readOnly), 403);
    assert.equal((await call(port, `/v2/agent/${project}/jobs`, {}, readOnly)).status, 200);
    const secret = await newKey('--project', project, '--expires', '1d');
    const id = newestId();
    assert.equal(await statusOf(secret), 201);
    await run('key', 'revoke', id);
    assert.equal(await statusOf(secret), 401);
    const client = new pg.Client(url);
    await client.connect();
    await client.query('UPDATE api_keys SET expires_at = now_ms() WHERE revoked_at IS NULL');
    const { rows } = await client.query('SELECT * FROM api_keys');
    await client.end();
    assert.equal(await statusOf(key), 401);
    assert.ok(!JSON.stringify(rows).includes(secret.slice('team_'.length)), 'a key is stored');
    const list = await run('key', 'list');
    assert.match(list, new RegExp(`^${id} +admin +revoked`, 'm'));
    assert.match(list, /expired/);
    assert.match(await run('key', 'revoke', id), /was already revoked on \d{4}-\d\d-\d\d/);
    await assert.rejects(run('key', 'revoke', 'none'), /no key/);
    await assert.rejects(run('key', 'create', '--project', 'none'), /no project/);
  });

  it('keeps the settings of a project that is added again, and says if its address changes', async () => {
    lines.length = 0;
    await run('project', 'add', '--repository', REPOSITORY, '--agent', 'claude');
    assert.equal((await run('project', 'add', '--repository', REPOSITORY, '--name', 'Docs')).trim(), project);
    assert.deepEqual(lines, [`changed project ${project}`, `changed project ${project}`]);
    lines.length = 0;
    const other = 'https://git.example/team/docs';
    assert.equal(await run('project', 'add', '--repository', other), `${project}\n`);
    const moved = `project ${project} had the address ${REPOSITORY}, and has ${other} from now on`;
    assert.deepEqual(lines, [`changed project ${project}`, moved]);
    assert.match(await run('project', 'list'), new RegExp(`^${project} +Docs +${other} +claude$`, 'm'));
    const added = (await run('project', 'add', '--repository', 'git@git.example:team/docs.git')).trim();
    assert.deepEqual(lines.slice(2), [`added project ${added}`]);
  });

  it('lists a project on one line, whatever its name is', async () => {
    await run('project', 'add', '--repository', REPOSITORY, '--name', 'a\nID\tb\u001b[31m\u202e\u2028c');
    const list = (await run('project', 'list')).split('\n');
    assert.equal(list.length, 3);
    assert.match(list[1] ?? '', /^\S+ +a ID b⟨U\+001B⟩\[31m⟨U\+202E⟩⟨U\+2028⟩c +https/);
  });

  it('shows metrics only to a key for metrics, and its health to everyone', async () => {
    const port = await start();
    await create(port);
    assert.equal((await call(port, '/metrics')).status, 403);
    assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 401);
    const answer = await call(port, '/metrics', {}, await newKey('--role', 'metrics'));
    assert.match(answer.headers.get('content-type') ?? '', /version=0\.0\.4/);
    const text = await answer.text();
    assert.match(text, /^docs_agent_queue_depth 1$/m);
    assert.match(text, /^docs_agent_workers 0$/m);
    assert.match(text, /^docs_agent_runs\{state="running"\} 0$/m);
    assert.match(text, /^docs_agent_runs_last_hour\{state="done"\} 0$/m);
    for (const path of ['/healthz', '/readyz']) {
      assert.deepEqual(await (await fetch(`http://127.0.0.1:${port}${path}`)).json(), { ok: true });
    }
  });

  it('refuses requests with 503 while no connection to the database is free', async () => {
    const port = await start('--connections', '2');
    // The database compares its clock with the expiry.
    const expiring = await newKey('--project', project, '--expires', '1d');
    const client = new pg.Client(url);
    await client.connect();
    // The clock hangs, but not on a lock: requests wait for a lock no longer than their limit.
    await client.query(`
      SELECT pg_advisory_lock(1);
      CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE plpgsql VOLATILE AS '
        BEGIN
          WHILE NOT pg_try_advisory_xact_lock(1) LOOP PERFORM pg_sleep(0.1); END LOOP;
          RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
        END'`);
    const asked = [1, 2, 3].map(() => call(port, `/v2/agent/${project}/jobs`, {}, expiring));
    const first = await Promise.race(asked);
    await client.end();
    assert.deepEqual([first.status, first.headers.get('retry-after')], [503, '2']);
    assert.deepEqual((await Promise.all(asked)).map(({ status }) => status).toSorted(), [200, 200, 503]);
  });

  it('refuses requests with 503, and isn’t ready, while the database is read-only, and doesn’t start on a standby', async () => {
    const port = await start();
    const ask = async () => {
      const created = await post(port, jobs(), { prompt: 'Document the limits' });
      const { status: ready } = await call(port, '/readyz');
      return { created: created.status, retryAfter: created.headers.get('Retry-After'), ready };
    };
    await setReadOnly(url, true);
    assert.deepEqual(await ask(), { created: 503, retryAfter: '2', ready: 503 });
    await assert.rejects(start(), { message: 'The database is read-only. Is this a standby?' });
    await setReadOnly(url, false);
    // The pool may still have connections that the server has just ended.
    let answer = await ask();
    while (answer.created === 503) {
      answer = await ask();
    }
    assert.deepEqual(answer, { created: 201, retryAfter: null, ready: 200 });
  });

  it('answers 507 and stores nothing while the database has no space', async () => {
    const port = await start();
    const client = new pg.Client(url);
    await client.connect();
    await client.query(`
      CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''could not extend file'' USING ERRCODE = ''disk_full''; END';
      CREATE TRIGGER fill BEFORE INSERT ON turns FOR EACH ROW EXECUTE FUNCTION fill()`);
    assert.equal((await post(port, jobs(), { prompt: 'Document' })).status, 507);
    assert.deepEqual((await client.query('SELECT 1 FROM jobs')).rows, []);
    await client.query('DROP TRIGGER fill ON turns');
    await client.end();
    await create(port);
  });

  it('serves HTTPS, and no HTTP, with a certificate', async () => {
    const authority = await Authority.make();
    const server = await authority.issue({ hosts: ['localhost'] });
    const folder = await temporaryFolder();
    const [cert, own] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    await Promise.all([writeFile(cert, server.cert), writeFile(own, server.key)]);
    const port = await start('--tls-cert', cert, '--tls-key', own);
    const status = await new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: '/healthz', ca: authority.pem, servername: 'localhost' };
      request(options, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
    assert.equal(status, 200);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
  });
});
