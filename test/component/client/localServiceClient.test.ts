import assert from 'node:assert/strict';
import { LocalServiceClient } from '../../../src/client/localServiceClient';
import { Transport } from '../../../src/client/transport';
import { ServiceError } from '../../../src/protocol/errors';
import { ScriptedServer } from '../../support/scriptedServer';

describe('LocalServiceClient', () => {
  const project = { folder: '/home/me/docs', settings: { agent: 'codex' } };
  let server: ScriptedServer;
  let transport: Transport;
  let client: LocalServiceClient;

  beforeEach(async () => {
    server = await ScriptedServer.start();
    transport = new Transport();
    client = new LocalServiceClient(transport);
  });

  afterEach(async () => {
    await transport.dispose();
    await server.close();
  });

  const target = (): { baseUrl: string; apiKey: string } => ({ baseUrl: server.url, apiKey: 'local_key' });

  it('registers a folder and returns its project', async () => {
    const registered = { projectId: 'docs-1', name: 'docs', dirty: true, host: null, agent: null };
    server.answers = [{ body: registered }];
    assert.deepEqual(await client.registerProject(target(), project), registered);
    const [seen] = server.requests;
    assert.deepEqual([seen?.method, seen?.path], ['PUT', '/local/projects']);
    assert.equal(seen?.headers.authorization, 'Bearer local_key');
    assert.deepEqual(JSON.parse(seen.body), project);
  });

  for (const [status, body, kind] of [
    [400, { error: 'not a repository' }, 'rejected'],
    [401, { error: 'key' }, 'unauthorized'],
    [500, 'oops', 'unreachable'],
    [200, { projectId: '../x', name: 'n', dirty: false }, 'notUnderstood'],
    [200, '<html>', 'notUnderstood'],
  ] as const) {
    it(`reports ${status} ${JSON.stringify(body)} as ${kind}`, async () => {
      server.answers = [{ status, body }];
      await assert.rejects(client.registerProject(target(), project), (error) => {
        assert.ok(error instanceof ServiceError);
        assert.deepEqual([error.kind, error.status], [kind, status]);
        return true;
      });
      assert.equal(server.requests.length, 1);
    });
  }

  it('lists a project’s jobs and requests pages only as needed', async () => {
    const job = (id: string): object => ({ id, status: 'completed', prLink: null });
    server.answers = [
      { body: { jobs: [job('j3'), { id: '' }, job('j2')], next: 'j2' } },
      { body: { jobs: [job('j1')], next: null } },
      { body: { jobs: [job('j3'), job('j2')], next: 'j2' } },
    ];
    const all: string[] = [];
    for await (const { id } of client.jobs(target(), 'docs-1')) {
      all.push(id);
    }
    assert.deepEqual(all, ['j3', 'j2', 'j1']);
    for await (const { id } of client.jobs(target(), 'docs-1')) {
      assert.equal(id, 'j3');
      break;
    }
    assert.deepEqual(
      server.requests.map(({ path }) => path),
      [
        '/v2/agent/docs-1/jobs?limit=200',
        '/v2/agent/docs-1/jobs?limit=200&before=j2',
        '/v2/agent/docs-1/jobs?limit=200',
      ],
    );
  });

  it('ends a list of jobs whose pages go in circles or are empty', async () => {
    const job = { id: 'j', status: 'completed' };
    const count = async (): Promise<number> => {
      let jobs = 0;
      for await (const each of client.jobs(target(), 'docs-1')) {
        jobs += each.id === 'j' ? 1 : 0;
      }
      return jobs;
    };
    server.choose = () => ({ body: { jobs: [job], next: server.requests.length % 2 === 1 ? 'a' : 'b' } });
    assert.equal(await count(), 3);
    server.choose = () => ({ body: { jobs: [], next: `j${server.requests.length}` } });
    assert.equal(await count(), 0);
    server.choose = () => ({ body: { jobs: [job], next: `j${server.requests.length}` } });
    assert.equal(await count(), 500);
  });

  it('asks the service to shut down and rejects when it refuses', async () => {
    server.answers = [{ status: 202 }, { status: 401, body: { error: 'key' } }];
    await client.shutdown(target());
    assert.deepEqual([server.requests[0]?.method, server.requests[0]?.path], ['POST', '/local/shutdown']);
    await assert.rejects(client.shutdown(target()), { name: 'ServiceError', kind: 'unauthorized' });
  });

  it('sends each request to its endpoint with the API key', async () => {
    const project = { host: { host: 'git.example.org', kind: 'gitea' }, agent: null };
    const agents = { agents: [{ name: 'codex', title: 'Codex', path: null, how: 'Install it.' }], chosen: null };
    const storage = { bytes: 0, jobs: [] };
    const settings = {
      ...{
        agent: 'auto',
        command: [],
        protocol: 'stdin' as const,
        mayRunCommands: false,
        repositoryAgentSettings: false,
        variables: [],
      },
      ...{ confine: false, publish: true, checkInPullRequest: false },
    };
    server.choose = ({ path }) => {
      const bodies: Record<string, unknown> = { '/local/agents': agents, '/local/storage': storage };
      return { body: bodies[path] ?? project };
    };
    assert.deepEqual(await client.putSettings(target(), 'p 1', settings), project);
    assert.deepEqual(await client.agents(target()), agents);
    assert.deepEqual(await client.storage(target()), storage);
    await client.setToken(target(), { host: 'git.example.org:8443', token: 'secret' });
    await client.removeToken(target(), 'git.example.org:8443');
    await client.cancelJob(target(), 'p1', 'j1');
    await client.archiveJob(target(), 'p1', 'j1');
    await client.shutdown(target(), 'idle');
    assert.deepEqual(
      server.requests.map(({ method, path, body }) => [method, path, body]),
      [
        ['PUT', '/local/projects/p%201/settings', JSON.stringify(settings)],
        ['GET', '/local/agents', ''],
        ['GET', '/local/storage', ''],
        ['PUT', '/local/tokens', JSON.stringify({ host: 'git.example.org:8443', token: 'secret' })],
        ['DELETE', '/local/tokens/git.example.org%3A8443', ''],
        ['POST', '/v2/agent/p1/job/j1/cancel', ''],
        ['POST', '/v2/agent/p1/job/j1/archive', '{"discard":false}'],
        ['POST', '/local/shutdown', '{"when":"idle"}'],
      ],
    );
    assert.ok(server.requests.every(({ headers }) => headers.authorization === 'Bearer local_key'));
  });

  it('reports the service’s reason for refusing to archive a job', async () => {
    const refusal = { error: 'Its work is nowhere else.', canDiscard: true };
    server.answers = [{ status: 409, body: refusal }];
    await assert.rejects(client.archiveJob(target(), 'p1', 'j1'), {
      kind: 'rejected',
      detail: 'Its work is nowhere else.',
      code: 'CAN_DISCARD',
    });
  });

  describe('reviewLink', () => {
    it('returns the one-time URL', async () => {
      const url = `${server.url}/review/j1?code=${'c'.repeat(43)}`;
      server.answers = [{ body: { url } }];
      assert.equal(await client.reviewLink(target(), 'p1', 'j1'), url);
      const [seen] = server.requests;
      assert.deepEqual([seen?.method, seen?.path], ['POST', '/v2/agent/p1/job/j1/review-link']);
    });

    it('rejects a URL that leads to another host or job', async () => {
      for (const url of ['https://evil.example/review/j1?code=x', `${server.url}/review/j2?code=x`, `${server.url}/`]) {
        server.answers = [{ body: { url } }];
        await assert.rejects(client.reviewLink(target(), 'p1', 'j1'), { kind: 'notUnderstood' }, url);
      }
    });
  });
});
