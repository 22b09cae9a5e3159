import assert from 'node:assert/strict';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectIdOf } from '../../src/protocol/localIds';
import { projectSettingsSchema, registeredProjectSchema, tokenHostsSchema } from '../../src/protocol/localService';
import { SCHEMAS } from '../../src/protocol/schemas';
import { customAgent } from '../support/sampleTurn';
import { git, jobBranch, sampleRepository, temporaryFolder } from '../support/temporaryRepository';
import { type LocalBench, localBench, localCalls, projectAt } from './contractBench';

describe('local service, the user’s repository', function () {
  let service: LocalBench;
  let bench: LocalBench;
  before(async () => (service = await localBench()));
  after(() => service.close());
  beforeEach(async () => (bench = await projectAt(service)));

  const put = async (body: unknown) => {
    const headers = { authorization: `Bearer ${bench.target.apiKey}`, 'content-type': 'application/json' };
    const answer = await fetch(`${bench.target.baseUrl}/local/projects`, {
      method: 'PUT',
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as { error?: string } };
  };

  /**
   * Everything a user would notice: what is checked out, staged, changed or stashed, and every ref except the job's.
   */
  const snapshot = async (): Promise<string> => {
    const refs = await git(bench.repo, 'for-each-ref', '--format=%(refname) %(objectname)');
    return JSON.stringify([
      refs.split('\n').filter((line) => !line.startsWith('refs/heads/docs-agent/')),
      await readFile(join(bench.repo, '.git/HEAD'), 'utf8'),
      await readFile(join(bench.repo, '.git/config'), 'utf8'),
      (await readFile(join(bench.repo, '.git/index'))).toString('hex'),
      await git(bench.repo, 'status', '--porcelain', '--ignored'),
      await git(bench.repo, 'stash', 'list'),
    ]);
  };

  it('stays unchanged except for the job’s branch, which contains the work and can be merged', async () => {
    await writeFile(join(bench.repo, 'README.md'), 'stashed\n');
    await git(bench.repo, 'stash', '--quiet');
    await writeFile(join(bench.repo, 'docs/index.md'), 'staged\n');
    await git(bench.repo, 'add', '--all');
    await writeFile(join(bench.repo, 'docs/getting-started.md'), 'changed\n');
    await writeFile(join(bench.repo, 'new.md'), 'new\n');
    await git(bench.repo, 'status');
    const before = await snapshot();

    const { id } = await bench.client.createJob(bench.target, 'Document the retry policy');
    await bench.ended(id);
    await bench.client.sendMessage(bench.target, id, 'Say more in docs/retry-policy.md');
    await bench.ended(id);
    assert.equal(await snapshot(), before);

    const log = await git(bench.repo, 'log', '--format=%s', `main..${await jobBranch(bench.repo, id)}`);
    assert.deepEqual(log.trim().split('\n'), ['Say more in docs/retry-policy.md', 'Document the retry policy']);
    const trailer = await git(
      bench.repo,
      'log',
      '-1',
      '--format=%(trailers:key=Docs-Agent-Job)',
      await jobBranch(bench.repo, id),
    );
    assert.equal(trailer.trim(), `Docs-Agent-Job: ${id}`);
    await git(bench.repo, 'checkout', '--quiet', '--force', '-B', 'other', 'main');
    await git(bench.repo, 'merge', '--quiet', await jobBranch(bench.repo, id));
    assert.match(await readFile(join(bench.repo, 'docs/retry-policy.md'), 'utf8'), /^# Retry policy\n/);
  });

  it('gives the agent the commits that the user added to the job’s branch, and keeps them', async () => {
    const { id } = await bench.client.createJob(bench.target, 'Document the retry policy');
    await bench.ended(id);
    const branch = await jobBranch(bench.repo, id);
    await git(bench.repo, 'checkout', '--quiet', branch);
    const page = join(bench.repo, 'docs/retry-policy.md');
    await writeFile(page, `My own words\n\n${await readFile(page, 'utf8')}`);
    await git(bench.repo, 'commit', '--quiet', '-a', '-m', 'My own');
    const own = (await git(bench.repo, 'rev-parse', 'HEAD')).trim();
    await git(bench.repo, 'checkout', '--quiet', 'main');
    await bench.client.sendMessage(bench.target, id, 'Say more in docs/retry-policy.md');
    assert.equal((await bench.ended(id)).status, 'completed');
    assert.equal((await git(bench.repo, 'rev-parse', `${branch}^`)).trim(), own);
    assert.match(await git(bench.repo, 'show', `${branch}:docs/retry-policy.md`), /^My own words\n\n# Retry policy\n/);
  });

  it('can be registered with any folder in it, gets the same id, and reports uncommitted work', async () => {
    const folder = join(bench.repo, 'docs');
    const clean = await put({ folder, settings: customAgent(['agent']) });
    assert.deepEqual([clean.status, registeredProjectSchema.parse(clean.body).dirty], [200, false]);
    assert.equal(registeredProjectSchema.parse(clean.body).projectId, bench.target.projectId);
    await writeFile(join(folder, 'new.md'), 'new');
    assert.equal(
      registeredProjectSchema.parse((await put({ folder, settings: customAgent(['agent']) })).body).dirty,
      true,
    );
  });

  it('is rejected with 400 if it is not a repository or has no commit', async () => {
    const plain = await temporaryFolder();
    const missing = join(plain, 'missing');
    const empty = await temporaryFolder();
    await git(empty, 'init', '--quiet');
    for (const [folder, words] of [
      [plain, /isn’t in a Git repository/],
      [missing, /There is no folder/],
      [empty, /has no commits/],
    ] as const) {
      const answer = await put({ folder, settings: customAgent(['agent']) });
      assert.equal(answer.status, 400);
      assert.match(answer.body.error ?? '', words);
    }
  });

  it('reports its remote without credentials, and a detached checkout', async () => {
    await git(bench.repo, 'remote', 'add', 'origin', 'https://robin:secret@git.example.org/team/lighthouse.git');
    await git(bench.repo, 'checkout', '--quiet', '--detach');
    const job = await bench.client.createJob(bench.target, 'Document the limits');
    const repository = 'https://git.example.org/team/lighthouse.git';
    assert.deepEqual(job.source, { repository, ref: null });
    const ended = await bench.ended(job.id);
    assert.equal(ended.status, 'completed');
    assert.deepEqual(ended.source, { repository, ref: `docs-agent/document-the-limits-${job.id.slice(0, 4)}` });
  });

  it('fails the job before the agent runs while it is moved, and takes its jobs along when it is registered again', async () => {
    const { id } = await bench.client.createJob(bench.target, '[scripted: change nothing]');
    await bench.ended(id);
    const moved = `${bench.repo}.moved`;
    await rename(bench.repo, moved);
    await bench.client.sendMessage(bench.target, id, 'Document the limits');
    const failed = await bench.ended(id);
    assert.match(
      String(failed['error']),
      /^The repository isn’t in “.*” any longer\. If you moved it, open its new folder/,
    );
    const settings = (await localCalls(bench).call('GET', `/local/projects/${bench.target.projectId}/settings`)).body;
    const { body } = await put({ folder: moved, settings });
    assert.equal(registeredProjectSchema.parse(body).projectId, bench.target.projectId);
    await bench.client.sendMessage(bench.target, id, 'Document the limits');
    assert.equal((await bench.ended(id)).status, 'completed');
    assert.equal((await git(moved, 'rev-list', '--count', `main..${await jobBranch(moved, id)}`)).trim(), '1');
  });
});

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
    assert.equal((await calls.call('PUT', '/local/projects', { folder: bench.repo })).status, 200);
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

  it('run a job with the demo agent, which comes with the extension', async () => {
    await calls.call('PUT', settingsPath(), { agent: 'demo', publish: false });
    const { id } = await bench.client.createJob(bench.target, 'Document the retry policy');
    const { status, model } = await bench.ended(id);
    assert.deepEqual([status, model], ['completed', 'Demo agent']);
    const changed = await git(bench.repo, 'diff', '--name-only', `main...${await jobBranch(bench.repo, id)}`);
    assert.equal(changed.trim(), 'docs/getting-started.md');
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
