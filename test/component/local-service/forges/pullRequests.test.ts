import assert from 'node:assert/strict';
import { checkBlock, pullRequestBody } from '../../../../src/local-service/forges/pullRequestText';
import { ForgeHttp } from '../../../../src/local-service/forges/forge';
import {
  bitbucket,
  CaptureForge,
  type CaptureStyle,
  gitea,
  gitLab,
  openPullRequest,
  stateOfPull,
} from '../../../support/captureForge';
import { ScriptedServer } from '../../../support/scriptedServer';
import { inEnglish } from '../../../support/codedText';
import { GitServer } from '../../../support/gitServer';
import { type PublicationFixture, createPublicationFixture } from '../../../support/publicationFixture';
import { git } from '../../../support/temporaryRepository';

interface Host {
  kind: 'gitlab' | 'gitea' | 'bitbucket';
  style: CaptureStyle;
  repository: string;
  /** Path between the origin and the API’s endpoints, as the caller passes it. */
  prefix: string;
  link: (number: number) => string;
  username?: string;
}

const hosts: Host[] = [
  {
    ...{ kind: 'gitlab', style: gitLab, repository: 'robin/sub/lighthouse', prefix: '' },
    link: (number) => `https://gitlab.example.org/robin/sub/lighthouse/-/merge_requests/${number}`,
  },
  {
    ...{ kind: 'gitea', style: gitea, repository: 'robin/lighthouse', prefix: '' },
    link: (number) => `https://gitea.example.org/robin/lighthouse/pulls/${number}`,
  },
  {
    ...{ kind: 'bitbucket', style: bitbucket, repository: 'robin/lighthouse', prefix: '/2.0' },
    link: (number) => `https://bitbucket.org/robin/lighthouse/pull-requests/${number}`,
  },
  {
    ...{ kind: 'bitbucket', style: bitbucket, repository: 'robin/lighthouse', prefix: '/2.0' },
    link: (number) => `https://bitbucket.org/robin/lighthouse/pull-requests/${number}`,
    username: 'robin@example.org',
  },
];

for (const { kind, style, repository, prefix, link, username } of hosts) {
  describe(`client for pull requests with the documented API of ${kind}${username === undefined ? '' : ', with the name of an account'}`, function () {
    let forge: CaptureForge;
    let http: ForgeHttp;
    beforeEach(async () => {
      forge = await CaptureForge.start(style);
      http = new ForgeHttp({});
    });
    afterEach(async () => {
      await http.close();
      await forge.server.close();
      assert.deepEqual(forge.faults, []);
    });

    const api = () => ({
      ...{ http, host: 'git.example.org', url: forge.server.url + prefix, repository },
      ...{ webUrl: `https://git.example.org/${repository}`, credential: { token: 'captured-token', username } },
      signal: new AbortController().signal,
    });
    const open = (base: string | null = 'main', more: { body?: string; check?: string } = {}): Promise<string> =>
      openPullRequest(kind, api(), {
        branch: 'docs-agent/job1',
        base,
        title: 'Document “retries” & limits',
        body: 'Two\n\nparagraphs',
        ...more,
      });

    it('opens a pull request and finds it again', async () => {
      assert.equal(await open(), link(1));
      assert.equal(await open(), link(1));
      assert.deepEqual(forge.pulls, [
        {
          ...{ number: 1, branch: 'docs-agent/job1', base: 'main', state: 'open' },
          ...{ title: 'Document “retries” & limits', body: 'Two\n\nparagraphs' },
        },
      ]);
    });

    for (const state of ['open', 'merged', 'closed'] as const) {
      it(`tells that a pull request is ${state}`, async () => {
        await open();
        forge.pulls[0]!.state = state;
        assert.equal(await stateOfPull(kind, api(), '1'), state);
      });
    }

    it('updates the check in the description and changes nothing else in it', async () => {
      const body = pullRequestBody('Document it', 'Done.', 'j1', '', 'One problem');
      await open('main', { body, check: 'One problem' });
      await open('main', { body: 'Another', check: 'No problem' });
      assert.equal(
        forge.pulls[0]?.body,
        kind === 'bitbucket' ? body : body.replace(checkBlock('One problem'), checkBlock('No problem')),
      );
      const now = forge.pulls[0].body;
      await open('main', { body: 'Another' });
      assert.equal(forge.pulls[0].body, now, 'without the setting');
      forge.pulls[0].body = 'Rewritten';
      await open('main', { body: 'Another', check: 'Two problems' });
      assert.equal(forge.pulls[0].body, 'Rewritten');
    });

    it('opens a new one after the first was closed', async () => {
      await open();
      forge.pulls[0]!.state = 'closed';
      assert.equal(await open(), link(2));
    });

    it('treats “already exists” as success', async () => {
      let isFirst = true;
      const { choose } = forge.server;
      forge.server.choose = (seen) => {
        const answer = choose?.(seen) ?? {};
        // Simulates another client that opens one between the lookup and the request.
        if (isFirst && Array.isArray(answer.body ?? undefined)) {
          isFirst = false;
          forge.add({ branch: 'docs-agent/job1', base: 'main', title: 'x', body: 'x' });
        } else if (isFirst && typeof answer.body === 'object' && 'values' in (answer.body ?? {})) {
          isFirst = false;
          forge.add({ branch: 'docs-agent/job1', base: 'main', title: 'x', body: 'x' });
        }
        return answer;
      };
      assert.equal(await open(), link(1));
      assert.equal(forge.pulls.length, 1);
    });

    it('targets the base branch if the host has it, otherwise the default branch', async () => {
      forge.branches.add('release/2');
      await open('release/2');
      forge.pulls[0]!.state = 'closed';
      await open('gone');
      forge.pulls[1]!.state = 'closed';
      await open(null);
      assert.deepEqual(
        forge.pulls.map(({ base }) => base),
        ['release/2', 'main', 'main'],
      );
    });
  });
}

describe('client for pull requests of GitHub', function () {
  for (const [state, told] of [
    ['open', { state: 'open', merged: false, merged_at: null }],
    ['merged', { state: 'closed', merged: true, merged_at: '2026-11-01T10:00:00Z' }],
    ['closed', { state: 'closed', merged: false, merged_at: null }],
  ] as const) {
    it(`tells that a pull request is ${state}`, async () => {
      const server = await ScriptedServer.start({ body: { number: 8, ...told } });
      const http = new ForgeHttp({});
      const api = {
        ...{ http, host: 'git.example.org', url: server.url, repository: 'robin/lighthouse', webUrl: 'https://x/y' },
        ...{ credential: { token: 'captured-token' }, signal: new AbortController().signal },
      };
      const found = await stateOfPull('github', api, '8');
      await Promise.all([http.close(), server.close()]);
      assert.deepEqual([found, server.requests.map(({ path }) => path)], [state, ['/repos/robin/lighthouse/pulls/8']]);
    });
  }
});

describe('client for pull requests of a renamed repository', function () {
  it('finds the pull request again on Gitea', async () => {
    const server = await ScriptedServer.start();
    const http = new ForgeHttp({});
    const head = { ref: 'docs-agent/job1', repo: { full_name: 'team/new-name' } };
    server.choose = ({ path }) => {
      const isRepository = path === '/api/v1/repos/robin/lighthouse';
      const repository = { default_branch: 'main', full_name: 'team/new-name' };
      const pulls = [{ number: 4, html_url: 'https://gitea.example.org/team/new-name/pulls/4', state: 'open', head }];
      return { status: 200, body: isRepository ? repository : pulls };
    };
    const api = {
      ...{ http, host: 'git.example.org', url: server.url, repository: 'robin/lighthouse', webUrl: 'https://x/y' },
      ...{ credential: { token: 'captured-token' }, signal: new AbortController().signal },
    };
    const wish = { branch: 'docs-agent/job1', base: 'main', title: 'x', body: 'x' };
    const link = await openPullRequest('gitea', api, wish);
    await Promise.all([http.close(), server.close()]);
    assert.equal(link, 'https://gitea.example.org/team/new-name/pulls/4');
  });
});

describe('a pull request’s description that can’t be updated', function () {
  it('is logged, and the pull request is still found', async () => {
    const server = await ScriptedServer.start();
    const http = new ForgeHttp({});
    const link = 'https://git.example.org/robin/lighthouse/pull/4';
    const head = { ref: 'docs-agent/job1', repo: { full_name: 'robin/lighthouse' } };
    const body = pullRequestBody('x', 'x', 'j1', '', 'One problem');
    const sent: string[] = [];
    server.choose = ({ method, path }) => {
      const repository = { name: 'lighthouse', owner: { login: 'robin' }, default_branch: 'main' };
      const pulls = [{ number: 4, html_url: link, state: 'open', head, body }];
      sent.push(`${method} ${path}`);
      return method === 'PATCH' ? { status: 403, body: {} } : { body: path.includes('/pulls') ? pulls : repository };
    };
    const api = {
      ...{ http, host: 'git.example.org', url: server.url, repository: 'robin/lighthouse', webUrl: 'https://x/y' },
      ...{ credential: { token: 'captured-token' }, signal: new AbortController().signal },
    };
    const wish = { branch: 'docs-agent/job1', base: 'main', title: 'x', body: 'x', check: 'No problem' };
    const warned: string[] = [];
    assert.equal(await openPullRequest('github', api, wish, warned), link);
    await Promise.all([http.close(), server.close()]);
    assert.equal(sent.at(-1), 'PATCH /repos/robin/lighthouse/pulls/4');
    assert.deepEqual(warned, [`couldn’t update the check in the description of ${link}`]);
  });
});

describe('client for pull requests of a large repository on Gitea', function () {
  it('searches all pages', async () => {
    const forge = await CaptureForge.start(gitea);
    const http = new ForgeHttp({});
    for (let index = 0; index < 120; index++) {
      forge.add({ branch: index === 117 ? 'docs-agent/job1' : `other${index}`, base: 'main', title: 'x', body: 'x' });
    }
    const api = {
      ...{
        http,
        host: 'git.example.org',
        url: forge.server.url,
        repository: 'robin/lighthouse',
        webUrl: 'https://x/y',
      },
      ...{ credential: { token: 'captured-token' }, signal: new AbortController().signal },
    };
    const wish = { branch: 'docs-agent/job1', base: 'main', title: 'x', body: 'x' };
    assert.equal(await openPullRequest('gitea', api, wish), 'https://gitea.example.org/robin/lighthouse/pulls/118');
    await http.close();
    await forge.server.close();
    assert.deepEqual(forge.faults, []);
  });
});

const BRANCH = 'docs-agent/job1';

describe('ForgePublisher with a fork', function () {
  let server: GitServer;
  let bench: PublicationFixture;
  let fork: string;
  let upstream: string;
  beforeEach(async () => {
    server = await GitServer.start();
    bench = await createPublicationFixture();
    upstream = await server.add('team/lighthouse', bench.folder);
    fork = await server.add('robin/lighthouse', bench.folder);
    await git(bench.folder, 'remote', 'add', 'origin', `${server.origin}/team/lighthouse.git`);
    await git(bench.folder, 'remote', 'add', 'mine', `${server.origin}/robin/lighthouse.git`);
    await git(bench.folder, 'config', 'remote.pushDefault', 'mine');
  });
  afterEach(() => server.close());

  const isIn = async (repository: string): Promise<boolean> =>
    (await git(repository, 'for-each-ref', `refs/heads/${BRANCH}`)) !== '';
  const gitHub = { status: 200, headers: { 'x-github-media-type': 'github.v3' } };
  const repository = '/api/v3/repos/team/lighthouse';

  it('pushes to the fork and opens the pull request in the upstream repository', async () => {
    server.answers.set('/api/v3', gitHub);
    const owner = { login: 'team' };
    server.answers.set(repository, { status: 200, body: { name: 'lighthouse', owner, default_branch: 'main' } });
    const link = `${server.origin}/team/lighthouse/pull/8`;
    const head = { ref: BRANCH, repo: { full_name: 'robin/lighthouse' } };
    const body = [{ number: 8, html_url: link, state: 'open', head }];
    server.answers.set(`${repository}/pulls?head=robin%3Adocs-agent%2Fjob1&state=open`, { status: 200, body });
    bench.tokens.set(server.host, { token: 'token' });
    assert.deepEqual(await bench.publisher().publish(await bench.next()), { prLink: link });
    assert.deepEqual([await isIn(fork), await isIn(upstream)], [true, false]);
  });

  it('opens the pull request on GitHub with the fork’s owner in the head', async () => {
    const scripted = await ScriptedServer.start();
    const http = new ForgeHttp({});
    const sent: unknown[] = [];
    scripted.choose = ({ method, path, body }) => {
      if (path === '/repos/team/lighthouse') {
        return { status: 200, body: { name: 'lighthouse', owner: { login: 'team' }, default_branch: 'main' } };
      }
      if (method === 'POST') {
        sent.push(JSON.parse(body));
        return { status: 201, body: { number: 8, html_url: 'https://git.example.org/team/lighthouse/pull/8' } };
      }
      return { status: 200, body: [] };
    };
    const webUrl = 'https://git.example.org/team/lighthouse';
    const api = {
      ...{ http, host: 'git.example.org', url: scripted.url, repository: 'team/lighthouse', webUrl },
      ...{ credential: { token: 'token' }, signal: new AbortController().signal },
    };
    const open = (name: string) =>
      openPullRequest('github', api, { branch: BRANCH, fork: name, base: 'main', title: 'Title', body: 'Body' });
    await open('robin/lighthouse');
    await open('team/fork');
    await Promise.all([http.close(), scripted.close()]);
    const request = { title: 'Title', body: 'Body', base: 'main' };
    assert.deepEqual(sent, [
      { ...request, head: `robin:${BRANCH}` },
      { ...request, head: `team:${BRANCH}`, head_repo: 'fork' },
    ]);
  });

  it('links to the page that compares fork and upstream when there is no token', async () => {
    server.answers.set('/api/v3', gitHub);
    const { prLink } = await bench.publisher().publish(await bench.next());
    assert.equal(prLink, `${server.origin}/team/lighthouse/compare/main...robin:docs-agent/job1?expand=1`);
  });

  it('explains where to open the pull request on other hosts', async () => {
    server.answers.set('/api/v1/version', { status: 200, body: { version: '1.23.1' } });
    const { prLink, note } = await bench.publisher().publish(await bench.next());
    assert.equal(prLink, `${server.origin}/team/lighthouse/compare/main...robin:docs-agent/job1`);
    assert.match(inEnglish(note), /Open it in team\/lighthouse, which has the base branch\.$/);
    assert.deepEqual([await isIn(fork), await isIn(upstream)], [true, false]);
  });
});
