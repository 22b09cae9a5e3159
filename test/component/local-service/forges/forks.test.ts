import assert from 'node:assert/strict';
import { ForgeHttp } from '../../../../src/local-service/forges/forgeHttp';
import { openPullRequest } from '../../../support/captureForge';
import { inEnglish } from '../../../support/codedText';
import { GitServer } from '../../../support/gitServer';
import { type PublicationFixture, createPublicationFixture } from '../../../support/publicationFixture';
import { ScriptedServer } from '../../../support/scriptedServer';
import { git } from '../../../support/temporaryRepository';

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
