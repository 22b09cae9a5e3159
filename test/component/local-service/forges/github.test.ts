import assert from 'node:assert/strict';
import { createEmulator, type Emulator } from 'emulate';
import { pullRequestBody } from '../../../../src/local-service/forges/pullRequestText';
import { GitServer } from '../../../support/gitServer';
import { type PublicationFixture, createPublicationFixture } from '../../../support/publicationFixture';
import { git } from '../../../support/temporaryRepository';

const TOKEN = 'emulated-token-1';

/** Emulates GitHub Enterprise: repositories and the API under `/api/v3` on one host. */
describe('ForgePublisher with an emulated GitHub', function () {
  let github: Emulator;
  let server: GitServer;
  let bench: PublicationFixture;
  let api: string;
  beforeEach(async () => {
    github = await createEmulator({
      service: 'github',
      port: 0,
      seed: {
        tokens: { [TOKEN]: { login: 'robin', scopes: ['repo'] } },
        github: {
          users: [{ login: 'robin', name: 'Robin', email: 'robin@example.org' }],
          repos: [{ owner: 'robin', name: 'lighthouse', auto_init: true }],
        },
      },
    });
    api = `http://127.0.0.1:${new URL(github.url).port}`;
    server = await GitServer.start();
    server.api = { origin: api, prefix: '/api/v3' };
    server.answers.set('/api/v3', { status: 200, headers: { 'x-github-media-type': 'github.v3' } });
    server.password = `x-access-token:${TOKEN}`;
    bench = await createPublicationFixture();
    await server.add('robin/lighthouse', bench.folder);
    await git(bench.folder, 'remote', 'add', 'origin', `${server.origin}/robin/lighthouse.git`);
    bench.tokens.set(server.host, { token: TOKEN });
  });
  afterEach(async () => {
    await Promise.all([github.close(), server.close()]);
  });

  interface Pull {
    number: number;
    state: string;
    title: string;
    body: string;
    html_url: string;
    head: { ref: string };
    base: { ref: string };
  }

  async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = { authorization: `token ${TOKEN}`, 'content-type': 'application/json' };
    const answer = await fetch(api + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    return answer.json();
  }
  const pulls = async (): Promise<Pull[]> =>
    (await ask('GET', '/repos/robin/lighthouse/pulls?state=all&per_page=100')) as Pull[];

  it('opens one pull request and adds follow-ups to it', async () => {
    const publisher = bench.publisher();
    const first = await publisher.publish(await bench.next());
    const [pull, ...others] = await pulls();
    assert.ok(pull && others.length === 0);
    assert.deepEqual(first, { prLink: pull.html_url });
    assert.deepEqual(
      [pull.title, pull.body, pull.head.ref, pull.base.ref, pull.state],
      ['Document retries', 'By the agent.', 'docs-agent/job1', 'main', 'open'],
    );
    const second = await publisher.publish(await bench.next({ prLink: first.prLink }));
    assert.deepEqual(second, first);
    assert.equal((await pulls()).length, 1);
  });

  it('updates the check in the description with a follow-up', async () => {
    const body = (check: string): string => pullRequestBody('Document it', 'Done.', 'job1', '', check);
    const publisher = bench.publisher();
    const first = await publisher.publish(await bench.next({ body: body('One problem'), check: 'One problem' }));
    const after = { prLink: first.prLink, body: 'Another', check: 'No problem' };
    assert.deepEqual(await publisher.publish(await bench.next(after)), first);
    assert.deepEqual(
      (await pulls()).map((pull) => pull.body),
      [body('No problem')],
    );
  });

  it('opens exactly one pull request when the service was killed after the push or the request', async () => {
    const publication = await bench.next();
    await git(bench.hostGit, 'push', '--quiet', `${server.root}/robin/lighthouse.git`, publication.branch);
    const first = await bench.publisher().publish(publication);
    // The response to the first request was lost, so the job has no link.
    const second = await bench.publisher().publish(publication);
    assert.deepEqual(second, first);
    assert.equal((await pulls()).length, 1);
  });

  it('opens a new pull request for new commits after the first was closed', async () => {
    const first = await bench.publisher().publish(await bench.next());
    const [old] = await pulls();
    await ask('PATCH', `/repos/robin/lighthouse/pulls/${old?.number ?? 0}`, { state: 'closed' });
    const second = await bench.publisher().publish(await bench.next({ prLink: first.prLink }));
    assert.notEqual(second.prLink, first.prLink);
    assert.equal((await pulls()).filter(({ state }) => state === 'open').length, 1);
  });

  it('targets the default branch when the host does not have the base branch', async () => {
    await bench.publisher().publish(await bench.next({ baseBranch: 'only-here' }));
    assert.deepEqual(
      (await pulls()).map(({ base }) => base.ref),
      ['main'],
    );
  });
});
