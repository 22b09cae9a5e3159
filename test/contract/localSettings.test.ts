import assert from 'node:assert/strict';
import { join } from 'node:path';
import { projectIdOf } from '../../src/protocol/localIds';
import { SCHEMAS } from '../../src/protocol/schemas';
import { projectSettingsSchema, registeredProjectSchema, tokenHostsSchema } from '../../src/protocol/localService';
import { sampleRepository } from '../support/temporaryRepository';
import { type LocalBench, localBench, localCalls, projectAt } from './contractBench';

describe('local service, project settings', function () {
  let service: LocalBench;
  let bench: LocalBench;
  let calls: ReturnType<typeof localCalls>;
  before(async () => {
    const repo = await sampleRepository();
    service = await localBench({ repo, otherProjects: [projectIdOf(repo)] });
  });
  after(() => service.close());
  beforeEach(async () => {
    bench = await projectAt(service);
    calls = localCalls(bench);
  });

  const settingsPath = () => `/local/projects/${bench.target.projectId}/settings`;

  it('apply to an existing job from its next message', async () => {
    const { id } = await bench.client.createJob(bench.target, '[scripted: change nothing]');
    await bench.ended(id);
    const before = projectSettingsSchema.parse((await calls.call('GET', settingsPath())).body);
    assert.equal(before.agent, 'custom');
    const script = 'echo changed > changed.md';
    const settings = { ...before, command: ['sh', '-c', script] };
    assert.equal((await calls.call('PUT', settingsPath(), settings)).status, 200);
    await bench.client.sendMessage(bench.target, id, 'Go on');
    const done = await bench.ended(id);
    assert.deepEqual([done.status, done.model, typeof done.prLink], ['completed', 'sh', 'string']);
    assert.deepEqual(projectSettingsSchema.parse((await calls.call('GET', settingsPath())).body), settings);
  });

  it('are rejected with the reason, and stay unchanged', async () => {
    const before = (await calls.call('GET', settingsPath())).body;
    for (const wrong of [{ agent: 'No Such' }, { variables: ['A=B'] }, { publish: 1 }, []]) {
      assert.equal((await calls.call('PUT', settingsPath(), wrong)).status, 400, JSON.stringify(wrong));
    }
    assert.equal((await calls.call('PUT', '/local/projects/unknown/settings', {})).status, 404);
    assert.deepEqual((await calls.call('GET', settingsPath())).body, before);
  });

  it('can be set when a project is registered, which returns its agent and Git host', async () => {
    const registered = await calls.call('PUT', '/local/projects', {
      folder: bench.repo,
      settings: { agent: 'custom', command: ['/usr/bin/agent'], protocol: 'acp' },
    });
    const { projectId, host, agent } = registeredProjectSchema.parse(registered.body);
    assert.equal(projectId, bench.target.projectId);
    assert.deepEqual([host, agent], [null, { name: 'custom', title: 'agent' }]);
  });

  it('reject variables that are never passed to an agent, both when set and when a project is registered', async () => {
    const settings = { agent: 'auto', variables: ['MINE', 'NODE_OPTIONS', 'GIT_DIR'] };
    for (const [path, body] of [
      [settingsPath(), settings],
      ['/local/projects', { folder: bench.repo, settings }],
    ] as const) {
      const answer = await calls.call('PUT', path, body);
      assert.equal(answer.status, 400);
      assert.deepEqual(answer.body, { error: 'These variables are never passed to an agent: NODE_OPTIONS, GIT_DIR.' });
    }
  });

  it('fail a message with an explanation when they name an unknown agent', async () => {
    await calls.call('PUT', settingsPath(), { agent: 'nosuchagent', publish: false });
    const { id } = await bench.client.createJob(bench.target, 'Hello');
    const failed = await bench.ended(id);
    assert.match(String(failed['error']), /no agent named “nosuchagent”/);
  });

  it('hold tokens only in memory, and return only their hosts', async () => {
    const token = 'secret-token-of-this-test';
    assert.equal((await calls.call('PUT', '/local/tokens', { host: 'git.example.org:8443', token })).status, 204);
    const hosts = tokenHostsSchema.parse((await calls.call('GET', '/local/tokens')).body);
    assert.deepEqual(hosts.hosts, ['git.example.org:8443']);
    assert.equal((await calls.call('PUT', '/local/tokens', { host: 'https://git.example.org/', token })).status, 400);
    assert.equal((await calls.call('DELETE', '/local/tokens/git.example.org%3A8443')).status, 204);
    assert.deepEqual((await calls.call('GET', '/local/tokens')).body, { hosts: [] });
    assert.ok(!bench.service.output().includes(token));
  });

  it('are not accessible with a key for single projects', async () => {
    const key = bench.service.otherKey;
    const paths: [string, string][] = [
      ['GET', '/local/agents'],
      ['GET', '/local/storage'],
      ['GET', '/local/tokens'],
      ['PUT', '/local/tokens'],
      ['DELETE', '/local/tokens/github.com'],
      ['GET', settingsPath()],
      ['PUT', settingsPath()],
      ['POST', '/local/shutdown'],
    ];
    for (const [method, path] of paths) {
      const body = method === 'GET' ? undefined : {};
      assert.equal((await calls.call(method, path, body, key)).status, 403, `${method} ${path}`);
    }
    const registrations = [
      { folder: bench.repo, settings: { agent: 'custom', command: ['sh'] } },
      { folder: bench.repo },
      { folder: '/no/such/folder' },
      { folder: '/' },
    ];
    for (const body of registrations) {
      assert.equal((await calls.call('PUT', '/local/projects', body, key)).status, 403, JSON.stringify(body));
    }
    const jobs = `/v2/agent/${bench.target.projectId}`;
    for (const path of [`${jobs}/jobs`, `${jobs}/job/x/events`]) {
      assert.equal((await calls.call('GET', path, undefined, key)).status, 403, path);
    }
    for (const path of [`${jobs}/job/x/cancel`, `${jobs}/job/x/archive`]) {
      assert.equal((await calls.call('POST', path, {}, key)).status, 403, path);
    }
  });

  it('stay unchanged when a key for the project registers it, and cannot be changed with that key', async () => {
    const { repo: folder, target } = service;
    const put = (body: object) => calls.call('PUT', '/local/projects', body, service.service.otherKey);
    const settings = () => calls.call('GET', `/local/projects/${target.projectId}/settings`);
    const before = await settings();
    const registered = await put({ folder: join(folder, 'docs') });
    assert.deepEqual([registered.status, registered.body['projectId']], [200, target.projectId]);
    assert.equal((await put({ folder, settings: {} })).status, 403);
    assert.deepEqual(await settings(), before);
  });

  it('are described, like all routes, in the OpenAPI document, which needs no key and is denied to web pages', async () => {
    const url = `${bench.target.baseUrl}/openapi.json`;
    const answer = await fetch(url);
    assert.equal(answer.status, 200);
    const { openapi, paths } = (await answer.json()) as { openapi: string; paths: object };
    assert.match(openapi, /^3\.1\./);
    assert.ok(Object.keys(paths).length > 10);
    assert.equal((await fetch(url, { headers: { origin: 'https://evil.example' } })).status, 403);
    const { id } = await bench.client.createJob(bench.target, 'Document the limits');
    await bench.ended(id);
    const { body } = await calls.call('GET', `/v2/agent/${bench.target.projectId}/job/${id}`);
    assert.deepEqual(SCHEMAS.Job.parse(body), body);
    const list = await calls.call('GET', `/v2/agent/${bench.target.projectId}/jobs`);
    assert.deepEqual(SCHEMAS.JobPage.parse(list.body), list.body);
  });
});
