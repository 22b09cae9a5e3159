import assert from 'node:assert/strict';
import { AgentClient, type Target } from '../../../src/client/agentClient';
import { LocalServiceClient } from '../../../src/client/localServiceClient';
import { readPreviewStatus, startPreview } from '../../../src/client/previews';
import { Transport } from '../../../src/client/transport';
import { ServiceError } from '../../../src/protocol/errors';
import { ManualClock, settle } from '../../support/manualClock';
import { type ScriptedAnswer, ScriptedServer } from '../../support/scriptedServer';

const JOB = { id: 'j', status: 'active' };
const PROMPT = 'Zeile "eins"\r\n\tüber 🚀 \u2028';
const PROJECT = { host: { host: 'git.example.org', kind: 'gitea' }, agent: null };
const REGISTERED = { ...PROJECT, projectId: 'docs-1', name: 'docs', dirty: true };
const TOKEN = { host: 'git.example.org:8443', token: 'secret' };
const AGENTS = {
  agents: [{ name: 'codex', title: 'Codex', path: null, how: 'Install it.' }],
  chosen: null,
  sandbox: null,
};
const PREVIEW = { statusId: 'docs/limits', previewUrl: 'https://acme-docs-7.preview.example' };
const SHOWN = { commit: 'a'.repeat(40), into: 'main', head: 'b'.repeat(40) };
const MERGED = { branch: 'main', deleted: null };
const PICTURE = { path: 'a b.png', of: 'base' } as const;
const A_JOB = '/v2/agent/p%201/job/j%2F1';
const STATUS = 'GET /v1/project/update-status/docs%2Flimits';

interface Clients {
  agent: AgentClient;
  local: LocalServiceClient;
  transport: Transport;
  target: Target;
}
type Call = (clients: Clients) => Promise<unknown>;

const agent = (
  ...[name, ...more]: ['createJob', string] | ['sendMessage', string, string] | ['retrieveJob', string]
): Call => {
  return ({ agent: client, target }) => (client[name] as (...all: unknown[]) => Promise<unknown>)(target, ...more);
};
const local = (name: Exclude<keyof LocalServiceClient, 'jobs'>, ...more: unknown[]): Call => {
  return ({ local: client, target }) => (client[name] as (...all: unknown[]) => Promise<unknown>)(target, ...more);
};
const preview: Call = ({ transport, target }) => startPreview(transport, target, 'docs/limits');
const status: Call = ({ transport, target }) => readPreviewStatus(transport, target, 'docs/limits');

/** Which request a call sends, and what the body of a success means. */
const CALLS: readonly [call: Call, sends: string, body?: unknown, result?: unknown][] = [
  [agent('createJob', PROMPT), `POST /v2/agent/p%201/job ${JSON.stringify({ prompt: PROMPT })}`, JOB, JOB],
  [agent('createJob', 'x'), 'POST /v2/agent/p%201/job {"prompt":"x"}', `\uFEFF${JSON.stringify(JOB)}`, JOB],
  [agent('sendMessage', 'j', 'x'), 'POST /v2/agent/p%201/job/j/message {"prompt":"x"}', { ...JOB, later: 1 }, JOB],
  [agent('retrieveJob', 'j'), 'GET /v2/agent/p%201/job/j', JOB, JOB],
  [local('registerProject', { folder: '/' }), 'PUT /local/projects {"folder":"/"}', REGISTERED, REGISTERED],
  [
    local('putSettings', 'p 1', { agent: 'codex' }),
    'PUT /local/projects/p%201/settings {"agent":"codex"}',
    PROJECT,
    PROJECT,
  ],
  [local('agents'), 'GET /local/agents', AGENTS, AGENTS],
  [local('storage'), 'GET /local/storage', { bytes: 0, jobs: [] }, { bytes: 0, jobs: [] }],
  [local('setToken', TOKEN), `PUT /local/tokens ${JSON.stringify(TOKEN)}`],
  [local('removeToken', TOKEN.host), 'DELETE /local/tokens/git.example.org%3A8443'],
  [local('image', 'p 1', 'j/1', PICTURE), `GET ${A_JOB}/image?path=a+b.png&of=base`, { base64: null }, null],
  [local('mergeJob', 'p 1', 'j/1', SHOWN), `POST ${A_JOB}/merge ${JSON.stringify(SHOWN)}`, MERGED, MERGED],
  [local('decide', 'p 1', 'j/1', 'reopen'), `POST ${A_JOB}/reopen`],
  [local('decideUnsaved', 'p 1', 'j/1', 'keep'), `POST ${A_JOB}/keep`],
  [local('cancelJob', 'p 1', 'j/1'), `POST ${A_JOB}/cancel`],
  [local('archiveJob', 'p 1', 'j/1'), `POST ${A_JOB}/archive {"discard":false}`],
  [local('unarchiveJob', 'p 1', 'j/1'), `POST ${A_JOB}/unarchive`],
  [local('shutdown', 'idle'), 'POST /local/shutdown {"when":"idle"}'],
  [preview, 'POST /v1/project/preview/p%201 {"branch":"docs/limits"}', PREVIEW, PREVIEW],
  [status, STATUS, { status: 'queued' }, 'building'],
  [status, STATUS, { status: 'success' }, 'success'],
];

/** What other answers mean. */
const FAILURES: readonly [call: Call, answer: ScriptedAnswer, error: object][] = [
  [agent('retrieveJob', 'j'), { body: { ...JOB, id: 'other' } }, { effect: 'unknown', code: 'OTHER_JOB' }],
  [agent('sendMessage', 'j', 'x'), { body: { ...JOB, id: 'other' } }, { effect: 'unknown', code: 'OTHER_JOB' }],
  [local('registerProject', {}), { status: 400, body: { error: 'no' } }, { kind: 'rejected', detail: 'no' }],
  [local('registerProject', {}), { body: { ...REGISTERED, projectId: '../x' } }, { kind: 'notUnderstood' }],
  [local('agents'), { body: '<html>' }, { kind: 'notUnderstood' }],
  [local('shutdown'), { status: 401, body: { error: 'key' } }, { kind: 'unauthorized' }],
  [
    local('archiveJob', 'p1', 'j1'),
    { status: 409, body: { error: 'Its work is nowhere else.', canDiscard: true } },
    { kind: 'rejected', detail: 'Its work is nowhere else.', code: 'CAN_DISCARD' },
  ],
  [preview, { body: { ...PREVIEW, statusId: '..' } }, { kind: 'notUnderstood' }],
  [preview, { status: 403, body: { error: 'Another plan.' } }, { kind: 'forbidden', detail: 'Another plan.' }],
  [status, { body: { status: 7 } }, { kind: 'notUnderstood' }],
];

describe('requests of the client', () => {
  let server: ScriptedServer;
  let clock: ManualClock;
  let clients: Clients;

  beforeEach(async () => {
    server = await ScriptedServer.start({ body: JOB });
    clock = new ManualClock();
    const transport = new Transport({ connectMs: 60_000, headersMs: 60_000, bodyMs: 60_000, totalMs: 120_000 });
    const agent = new AgentClient({ clock, random: () => 0.5, transport });
    const target = { baseUrl: server.url, projectId: 'p 1', apiKey: 'mint_key' };
    clients = { agent, local: new LocalServiceClient(transport), transport, target };
  });
  afterEach(async () => {
    await clients.transport.dispose();
    await server.close();
  });

  for (const [call, sends, body, result] of CALLS) {
    it(`are those of the service: ${sends.slice(0, 100)}`, async () => {
      server.answers = [{ ...(body !== undefined && { body }) }];
      assert.deepEqual(await call(clients), result);
      const seen = server.requests[0]!;
      assert.equal(`${seen.method} ${seen.path} ${seen.body}`.trim(), sends);
      assert.equal(seen.headers.authorization, 'Bearer mint_key');
      assert.equal(seen.headers['content-type'], seen.body === '' ? undefined : 'application/json');
      assert.equal(seen.headers['accept-encoding'], 'identity');
    });
  }

  it('fail as the answer says, after one attempt', async () => {
    for (const [call, answer, error] of FAILURES) {
      server.answers = [answer];
      const before = server.requests.length;
      await assert.rejects(call(clients), { name: 'ServiceError', ...error });
      assert.deepEqual([server.requests.length, clock.pending], [before + 1, 0]);
    }
  });

  it('keep the path of the base URL, and encode what ids may contain', async () => {
    const id = '../x y%2e ü';
    server.answers = [{ body: { id, status: 'active' } }];
    const target = { ...clients.target, baseUrl: `${server.url}/prefix//`, projectId: 'a/b?c#d' };
    await clients.agent.retrieveJob(target, id);
    assert.equal(server.requests[0]?.path, '/prefix/v2/agent/a%2Fb%3Fc%23d/job/..%2Fx%20y%252e%20%C3%BC');
  });

  it('are not sent for an ID that would address another resource', async () => {
    const { agent, target } = clients;
    for (const id of ['', '.', '..', 'a\n', '\u0085', 'x'.repeat(513), '\udc00']) {
      for (const call of [
        agent.retrieveJob(target, id),
        agent.sendMessage(target, id, 'x'),
        agent.createJob({ ...target, projectId: id }, 'x'),
      ]) {
        await assert.rejects(call, { kind: 'notFound', effect: 'none', code: 'UNSAFE_ID' });
      }
    }
    assert.equal(server.connections, 0);
  });

  it('send a prompt only once, whatever the answer', async () => {
    const answers: ScriptedAnswer[] = [
      ...[301, 307, 408, 421, 429, 500, 503, 504].map((status) => ({ status, headers: { 'retry-after': '0' } })),
      { fault: 'reset' },
      { status: 201, body: {} },
    ];
    for (const answer of answers) {
      server.answers = [answer];
      const before = server.requests.length;
      const effect = answer.status === 429 ? 'refused' : 'unknown';
      await assert.rejects(clients.agent.createJob(clients.target, 'x'), { effect });
      await assert.rejects(clients.agent.sendMessage(clients.target, 'j', 'x'), { effect });
      await clock.advance(3_600_000);
      assert.deepEqual([server.requests.length, clock.pending], [before + 2, 0]);
    }
  });

  it('include the API key in no error', async () => {
    server.answers = [{ status: 401, body: { error: 'no' } }, { fault: 'reset' }, { status: 200, body: [] }];
    const { agent, target } = clients;
    for (const apiKey of ['mint_key', 'mint_key', 'mint_key', 'mint_key\n']) {
      const error = await agent
        .createJob({ ...target, apiKey }, 'x')
        .catch((thrown: unknown) => thrown as ServiceError);
      assert.ok(error instanceof ServiceError);
      assert.ok(
        !`${String(error.stack)} ${JSON.stringify(error)} ${String(error.cause)}`.includes('mint_key'),
        error.message,
      );
    }
  });

  describe('for a job', () => {
    /** Advances the clock through `count` waits between attempts and returns their lengths in milliseconds. */
    const waits = async (count: number): Promise<number[]> => {
      const lengths: number[] = [];
      while (lengths.length < count) {
        await clock.untilPending();
        lengths.push(clock.untilNext ?? NaN);
        await clock.advance(lengths.at(-1) ?? NaN);
      }
      return lengths;
    };
    const retrieve = (more = {}) => clients.agent.retrieveJob(clients.target, 'j', more);

    it('are repeated after transient failures, with increasing waits', async () => {
      server.answers = [{ status: 503 }, { fault: 'reset' }, { body: JOB }];
      const job = retrieve();
      assert.deepEqual(await waits(2), [1500, 2500]);
      assert.deepEqual([await job, server.count('GET')], [JOB, 3]);
    });

    it('fail with the last failure after three attempts, or after one if the caller has a schedule', async () => {
      server.answers = [{ status: 502 }, { status: 502 }, { status: 503 }];
      const failed = assert.rejects(retrieve(), { status: 503 });
      await waits(2);
      await failed;
      await assert.rejects(retrieve({ attempts: 1 }), { status: 503 });
      assert.deepEqual([server.count('GET'), clock.pending], [4, 0]);
    });

    it('are not repeated after other failures, or if the service asks for a long wait', async () => {
      for (const status of [301, 400, 401, 403, 404, 409, 418, 429]) {
        server.answers = [{ status, headers: { 'retry-after': '600' } }];
        await assert.rejects(retrieve(), { status });
      }
      assert.deepEqual([server.count('GET'), clock.pending], [8, 0]);
    });

    it('wait as long as the service asks, in seconds, as a date, or in the body', async () => {
      const at = new Date(clock.now() + 9000).toUTCString();
      const refusals: ScriptedAnswer[] = [
        { status: 429, headers: { 'retry-after': '9' } },
        { status: 503, headers: { 'retry-after': at, date: new Date(clock.now()).toUTCString() } },
        { status: 429, body: { error: 'too many', retryAfterSeconds: 9 } },
      ];
      for (const refusal of refusals) {
        server.answers = [refusal, { body: JOB }];
        const job = retrieve();
        assert.deepEqual(await waits(1), [9000]);
        assert.deepEqual(await job, JOB);
      }
    });

    it('end at once when the caller aborts', async () => {
      server.answers = [{ status: 503 }];
      const caller = new AbortController();
      const failed = assert.rejects(retrieve({ signal: caller.signal }), { kind: 'aborted' });
      await clock.untilPending();
      caller.abort();
      await failed;
      await settle();
      assert.deepEqual([server.count('GET'), clock.pending], [1, 0]);
    });
  });

  describe('for the jobs of a project', () => {
    const list = async (most = Infinity): Promise<string[]> => {
      const ids: string[] = [];
      for await (const { id } of clients.local.jobs(clients.target, 'docs-1')) {
        if (ids.push(id) >= most) {
          break;
        }
      }
      return ids;
    };
    const job = (id: string): object => ({ id, status: 'completed', prLink: null });

    it('ask for pages only as needed, and skip invalid jobs', async () => {
      const first = { body: { jobs: [job('j3'), { id: '' }, job('j2')], next: 'j2' } };
      server.answers = [first, { body: { jobs: [job('j1')], next: null } }, first];
      assert.deepEqual([await list(), await list(1)], [['j3', 'j2', 'j1'], ['j3']]);
      const path = '/v2/agent/docs-1/jobs?limit=200';
      assert.deepEqual(
        server.requests.map((seen) => seen.path),
        [path, `${path}&before=j2`, path],
      );
    });

    it('end when pages go in circles or are empty', async () => {
      const lengthOf = async (jobs: object[], next: () => string): Promise<number> => {
        server.choose = () => ({ body: { jobs, next: next() } });
        return (await list()).length;
      };
      assert.equal(await lengthOf([job('j')], () => (server.requests.length % 2 === 1 ? 'a' : 'b')), 3);
      assert.equal(await lengthOf([], () => `j${server.requests.length}`), 0);
      assert.equal(await lengthOf([job('j')], () => `j${server.requests.length}`), 500);
    });
  });

  it('return a review link only to the job’s own page', async () => {
    const ask = (url: string) => {
      server.answers = [{ body: { url } }];
      return clients.local.reviewLink(clients.target, 'p1', 'j1');
    };
    const url = `${server.url}/review/j1?code=${'c'.repeat(43)}`;
    assert.equal(await ask(url), url);
    for (const wrong of [`${server.url}/review/j2?code=x`, `${server.url}/`]) {
      await assert.rejects(ask(wrong), { kind: 'notUnderstood' }, wrong);
    }
  });
});
