import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inEnglish } from '../../../support/codedText';
import { addHook, GitServer } from '../../../support/gitServer';
import { type PublicationFixture, createPublicationFixture } from '../../../support/publicationFixture';
import { git } from '../../../support/temporaryRepository';
import { createEmulator, type Emulator } from 'emulate';
import { printedLink, printedPage } from '../../../../src/local-service/forges/branchPush';
import { sanitize } from '../../../../src/local-service/text';
import { CaptureForge, forgeOf, gitLab } from '../../../support/captureForge';

const BRANCH = 'docs-agent/job1';

/** Uses real git on both sides; a server hook simulates the Git host. */
describe('ForgePublisher without a token', function () {
  let server: GitServer;
  let bench: PublicationFixture;
  let bare: string;
  let webUrl: string;
  beforeEach(async () => {
    server = await GitServer.start();
    bench = await createPublicationFixture();
    bare = await server.add('robin/lighthouse', bench.folder);
    webUrl = `${server.origin}/robin/lighthouse`;
    await git(bench.folder, 'remote', 'add', 'origin', `${webUrl}.git`);
  });
  afterEach(() => server.close());

  const noted = (): Promise<string> => readFile(join(bare, 'options'), 'utf8').catch(() => '');
  const refs = async (): Promise<string[]> =>
    (await git(bare, 'for-each-ref', '--format=%(refname)')).split('\n').filter((ref) => ref !== '');

  describe('on GitLab', () => {
    beforeEach(async () => {
      server.answers.set('/api/v4/version', { status: 401, body: { message: '401 Unauthorized' } });
      // https://docs.gitlab.com/topics/git/commit/#push-options
      await addHook(
        bare,
        'post-receive',
        `i=0; while [ $i -lt "$GIT_PUSH_OPTION_COUNT" ]; do eval "echo \\"\\$GIT_PUSH_OPTION_$i\\"" >> options; i=$((i+1)); done
read old new ref; git update-ref refs/merge-requests/7/head $new
echo; echo 'View merge request for ${BRANCH}:'; echo '  ${webUrl}/-/merge_requests/7'; echo`,
      );
    });

    it('opens a merge request with a push option and adds follow-ups to it', async () => {
      const first = await bench.publisher().publish(await bench.next({ title: 'Two\nlines' }));
      assert.deepEqual(first, { prLink: `${webUrl}/-/merge_requests/7` });
      assert.equal(await noted(), 'merge_request.create\nmerge_request.target=main\nmerge_request.title=Two lines\n');
      const second = await bench.publisher().publish(await bench.next({ prLink: first.prLink }));
      assert.deepEqual(second, first);
      // Push options are not repeated, so they do not overwrite a reviewer’s changes.
      assert.equal((await noted()).split('\n').slice(3).join('\n'), 'merge_request.create\n');
    });

    it('opens a merge request with a push option when a helper’s token may only allow pushes', async () => {
      server.password = 'robin:from-helper';
      await bench.configure(`[credential]\n\thelper = "!f() { echo username=robin; echo password=from-helper; }; f"\n`);
      const published = await bench.publisher().publish(await bench.next());
      assert.deepEqual(published, { prLink: `${webUrl}/-/merge_requests/7` });
      assert.match(await noted(), /^merge_request\.create\n/);
    });

    it('finds the merge request again after a push whose result was lost', async () => {
      const publication = await bench.next();
      await bench.publisher().publish(publication);
      await rm(join(bare, 'hooks', 'post-receive'));
      assert.deepEqual(await bench.publisher().publish(publication), { prLink: `${webUrl}/-/merge_requests/7` });
    });

    it('pushes the branch and links to a page when the host does not support push options', async () => {
      await git(bare, 'config', 'receive.advertisePushOptions', 'false');
      await rm(join(bare, 'hooks', 'post-receive'));
      const published = await bench.publisher().publish(await bench.next());
      const query = 'merge_request%5Bsource_branch%5D=docs-agent%2Fjob1&merge_request%5Btarget_branch%5D=main';
      assert.equal(published.prLink, `${webUrl}/-/merge_requests/new?${query}`);
      assert.match(
        inEnglish(published.note),
        /No access token was found\. Sign in with “Docs Agent: Manage Local Service…”/,
      );
      assert.ok((await refs()).includes(`refs/heads/${BRANCH}`));
    });
  });

  describe('on Gitea and Forgejo', () => {
    beforeEach(async () => {
      server.answers.set('/api/v1/version', { status: 200, body: { version: '1.23.1' } });
      // https://docs.gitea.com/usage/agit: creates no branch; the same topic is the same pull request.
      await addHook(
        bare,
        'post-receive',
        `while read old new ref; do case "$ref" in refs/for/*)
git update-ref refs/pull/3/head $new; git update-ref -d "$ref"
printf '%s %s\\n' "$ref" "$GIT_PUSH_OPTION_0" >> options
echo 'Visit the existing pull request:'; echo '  ${webUrl}/pulls/3'; esac; done`,
      );
    });

    it('opens a pull request with a push to refs/for and adds follow-ups to it', async () => {
      const first = await bench.publisher().publish(await bench.next());
      assert.deepEqual(first, { prLink: `${webUrl}/pulls/3` });
      const { hostGit } = bench;
      const [signal, commit] = [new AbortController().signal, (await git(hostGit, 'rev-parse', BRANCH)).trim()];
      const destination = await bench.publisher().destination(bench.folder, 'main', signal);
      const seen = await destination?.look({ hostGit, branch: BRANCH, signal, ...first });
      assert.equal(seen?.branch, commit, 'there is no branch, but a pull request');
      const second = await bench.next({ prLink: first.prLink });
      assert.deepEqual(await bench.publisher().publish(second), first);
      assert.equal(await noted(), `refs/for/main topic=${BRANCH}\n`.repeat(2));
      assert.deepEqual(await refs(), ['refs/heads/main', 'refs/pull/3/head']);
      assert.equal((await git(bare, 'rev-parse', 'refs/pull/3/head')).trim(), second.commit);
    });

    it('does not push the same commit twice', async () => {
      const publication = await bench.next();
      const first = await bench.publisher().publish(publication);
      assert.deepEqual(await bench.publisher().publish(publication), first);
      assert.equal(await noted(), `refs/for/main topic=${BRANCH}\n`);
    });

    it('keeps using the existing pull request when a token is added later', async () => {
      const { prLink } = await bench.publisher().publish(await bench.next());
      bench.tokens.set(server.host, { token: 'later-token' });
      assert.deepEqual(await bench.publisher().publish(await bench.next({ prLink })), { prLink });
      assert.deepEqual(await refs(), ['refs/heads/main', 'refs/pull/3/head']);
    });

    it('keeps pushing to the branch when it already exists on the host', async () => {
      const first = await bench.next();
      await git(bench.hostGit, 'push', '--quiet', bare, first.branch);
      const published = await bench.publisher().publish(await bench.next({ prLink: `${webUrl}/pulls/9` }));
      assert.equal(published.prLink, `${webUrl}/pulls/9`);
      assert.match(inEnglish(published.note), /check whether the pull request .+ is still open/);
      assert.deepEqual(await refs(), [`refs/heads/${BRANCH}`, 'refs/heads/main']);
    });

    it('pushes the branch and links to a page when refs/for is refused', async () => {
      await addHook(bare, 'update', 'case "$1" in refs/for/*) echo no >&2; exit 1; esac');
      const published = await bench.publisher().publish(await bench.next());
      assert.equal(published.prLink, `${webUrl}/compare/main...docs-agent/job1`);
      assert.match(inEnglish(published.note), /no pull request was opened/);
    });
  });

  it('offers the page that a host of an unknown kind has named, and finds the pull request there', async () => {
    const create = `${webUrl}/-/merge_requests/new?merge_request%5Bsource_branch%5D=docs-agent%2Fjob1`;
    const prints = (words: string, link: string) =>
      addHook(bare, 'post-receive', `echo; echo '${words}:'; echo '  ${link}'; echo`);
    await prints(`To create a merge request for ${BRANCH}, visit`, create);
    const first = await bench.publisher().publish(await bench.next());
    assert.equal(first.prLink, create);
    assert.match(inEnglish(first.note), /no pull request was opened\. Open it on the page that the host has named\.$/);
    await rm(join(bare, 'hooks', 'post-receive'));
    const silent = await bench.publisher().publish(await bench.next({ prLink: first.prLink }));
    assert.deepEqual(silent, first);
    await prints(`View merge request for ${BRANCH}`, `${webUrl}/-/merge_requests/12`);
    const second = await bench.publisher().publish(await bench.next({ prLink: first.prLink }));
    assert.deepEqual(second, { prLink: `${webUrl}/-/merge_requests/12` });
  });

  it('says why the kind of the host couldn’t be found out, also in the log', async () => {
    server.answers.set('/api/v4/version', { status: 503 });
    const first = await bench.publisher().publish(await bench.next());
    const why = `Couldn’t find out what kind of Git host this is. ${server.host} is having problems (status 503).`;
    assert.ok(inEnglish(first.note).includes(`no pull request was opened. ${why}`), inEnglish(first.note));
    assert.ok(bench.lines.some((line) => line.includes(why)));
  });

  it('opens a merge request on GitLab below a path, and tells its state', async () => {
    const gitlab = await CaptureForge.start(gitLab);
    try {
      await server.add('git/robin/sub/lighthouse', bench.folder);
      await git(bench.folder, 'remote', 'set-url', 'origin', `${server.origin}/git/robin/sub/lighthouse.git`);
      server.api = { origin: gitlab.server.url, prefix: '/git' };
      for (const path of ['/git/api/v3', '/git/api/v1/version']) {
        server.answers.set(path, { status: 404 });
      }
      server.answers.set('/git/api/v4/version', { status: 401, body: { message: '401 Unauthorized' } });
      bench.tokens.set(server.host, { token: 'captured-token' });
      const publication = await bench.next();
      await bench.publisher().publish(publication);
      assert.deepEqual(
        gitlab.pulls.map(({ branch }) => branch),
        [BRANCH],
      );
      const prLink = `${server.origin}/git/robin/sub/lighthouse/-/merge_requests/1`;
      const destination = await bench.publisher().destination(bench.folder, 'main', publication.signal);
      const { pullRequest, branch } = (await destination?.look({ ...publication, prLink })) ?? {};
      assert.deepEqual([pullRequest, branch], [{ url: prLink, state: 'open' }, publication.commit]);
      assert.deepEqual(gitlab.faults, []);
    } finally {
      await gitlab.server.close();
    }
  });

  it('links to the page for opening a pull request on GitHub', async () => {
    server.answers.set('/api/v3', { status: 401, headers: { 'x-github-media-type': 'github.v3' } });
    const published = await bench.publisher().publish(await bench.next());
    assert.equal(published.prLink, `${webUrl}/compare/main...docs-agent/job1?expand=1`);
    assert.match(
      inEnglish(published.note),
      /is on 127\.0\.0\.1:\d+, but no pull request was opened\. No access token was found/,
    );
  });

  it('keeps a pull request link that uses another name of the repository', async () => {
    server.answers.set('/api/v3', { status: 401, headers: { 'x-github-media-type': 'github.v3' } });
    const prLink = `${server.origin}/Robin/lamp/pull/4`;
    const published = await bench.publisher().publish(await bench.next({ prLink }));
    assert.equal(published.prLink, prLink);
    const elsewhere = await bench.publisher().publish(await bench.next({ prLink: 'https://other.example/a/b/pull/4' }));
    assert.match(elsewhere.prLink ?? '', /\/compare\/main\.\.\.docs-agent\/job1\?expand=1$/);
  });

  it('keeps the branch and reports why the API failed, then retries on the next turn', async () => {
    server.answers.set('/api/v3', { status: 200, headers: { 'x-github-media-type': 'github.v3' } });
    const repository = '/api/v3/repos/robin/lighthouse';
    server.answers.set(repository, { status: 401, body: { message: 'Bad credentials' } });
    bench.tokens.set(server.host, { token: 'old-token' });
    const first = await bench.publisher().publish(await bench.next());
    assert.equal(first.prLink, `${webUrl}/compare/main...docs-agent/job1?expand=1`);
    assert.match(inEnglish(first.note), /didn’t accept the token \(Bad credentials\)/);
    const owner = { login: 'robin' };
    server.answers.set(repository, { status: 200, body: { name: 'lighthouse', owner, default_branch: 'main' } });
    const pull = { number: 5, html_url: `${webUrl}/pull/5`, state: 'open', head: { ref: BRANCH } };
    server.answers.set(`${repository}/pulls?head=robin%3Adocs-agent%2Fjob1&state=open`, { status: 200, body: [pull] });
    const second = await bench.publisher().publish(await bench.next({ prLink: first.prLink }));
    assert.deepEqual(second, { prLink: `${webUrl}/pull/5` });
  });
});

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

  it('opens exactly one pull request when the service was killed after the push or the request', async () => {
    const publication = await bench.next();
    await git(bench.hostGit, 'push', '--quiet', `${server.root}/robin/lighthouse.git`, publication.branch);
    const first = await bench.publisher().publish(publication);
    // The response to the first request was lost, so the job has no link.
    const second = await bench.publisher().publish(publication);
    assert.deepEqual(second, first);
    assert.equal((await pulls()).length, 1);
  });

  it('sees what has become of the pull request', async () => {
    const publisher = bench.publisher();
    const { folder, hostGit } = bench;
    const publication = await bench.next();
    await publisher.publish(publication);
    const prLink = `${server.origin}/robin/lighthouse/pull/1`;
    const { branch, signal } = publication;
    const look = async (link = prLink) =>
      (await (await publisher.destination(folder, 'main', signal))?.look({ hostGit, branch, prLink: link, signal }))
        ?.pullRequest;
    assert.deepEqual(await look(), { url: prLink, state: 'open' });
    await ask('PUT', '/repos/robin/lighthouse/pulls/1/merge', {});
    assert.deepEqual(await look(), { url: prLink, state: 'merged' });
    for (const [link, seen] of [
      [`${server.origin}/robin/lighthouse/pull/7`, undefined],
      [`${server.origin}/robin/lighthouse/compare/main...x`, null],
      ['https://elsewhere.example/robin/lighthouse/pull/1', null],
    ] as const) {
      assert.deepEqual(await look(link), seen, link);
    }
  });

  it('opens a new pull request for new commits after the first was closed', async () => {
    const first = await bench.publisher().publish(await bench.next());
    const [old] = await pulls();
    await ask('PATCH', `/repos/robin/lighthouse/pulls/${old?.number ?? 0}`, { state: 'closed' });
    const second = await bench.publisher().publish(await bench.next({ prLink: first.prLink }));
    assert.notEqual(second.prLink, first.prLink);
    assert.equal((await pulls()).filter(({ state }) => state === 'open').length, 1);
  });
});

const WEB = 'https://git.example.org/a/b';

describe('pull request links', () => {
  for (const [kind, base, link] of [
    ['github', 'main', `${WEB}/compare/main...docs-agent/j%231?expand=1`],
    ['github', null, `${WEB}/compare/docs-agent/j%231?expand=1`],
    ['gitea', 'v/2', `${WEB}/compare/v/2...docs-agent/j%231`],
    ['bitbucket', 'main', `${WEB}/pull-requests/new?source=docs-agent%2Fj%231&dest=main`],
    ['gitlab', null, `${WEB}/-/merge_requests/new?merge_request%5Bsource_branch%5D=docs-agent%2Fj%231`],
  ] as const) {
    it(`lead to the page for opening one on ${kind}${base === null ? ' without a base' : ''}`, () => {
      const at = { webUrl: WEB, branch: 'docs-agent/j#1', base, forkOwner: undefined };
      assert.equal(forgeOf(kind).comparePage(at), link);
    });
  }

  it('are read from the host’s output', () => {
    const printed = `remote: \nremote: View merge request for x:        \nremote:   ${WEB}/-/merge_requests/12        \nTo x`;
    assert.equal(printedLink(printed, WEB), `${WEB}/-/merge_requests/12`);
    assert.equal(printedLink(`remote: Visit:\r\nremote:   ${WEB}/pulls/3 merges into main`, WEB), `${WEB}/pulls/3`);
  });

  it('are ignored when they open a new pull request or belong to another host or repository', () => {
    for (const line of [
      `${WEB}/-/merge_requests/new?x=1`,
      'https://evil.example/a/b/-/merge_requests/12',
      'https://git.example.org/a/c/-/merge_requests/12',
      'https://git.example.org@evil.example/a/b/pulls/1',
    ]) {
      assert.equal(printedLink(`remote: ${line}`, WEB), undefined);
    }
    assert.equal(printedLink(`${WEB}/pulls/3`, WEB), undefined, 'the host did not print it');
  });
});

describe('the page for opening a pull request', () => {
  const create = `${WEB}/-/merge_requests/new?merge_request%5Bsource_branch%5D=docs-agent%2Fjob1`;
  const elsewhere =
    'https://git.example.org/projects/A/repos/b/compare/commits?sourceBranch=refs/heads/docs-agent/job1';
  for (const [printed, page] of [
    [`To create a merge request for docs-agent/job1, visit:\nremote:   ${create}   `, create],
    [`See ${WEB}/settings\nremote: Create pull request: ${elsewhere}`, elsewhere],
    [`See https://git.example.org/help and ${WEB}/new/it`, `${WEB}/new/it`],
    ['See https://git.example.org/help', undefined],
    ['Visit https://evil.example/a/b/new/docs-agent/job1', undefined],
    ['Visit http://git.example.org/c/new/docs-agent/job1', undefined],
  ] as const) {
    it(`is ${page ?? 'unknown'} after “${printed.slice(0, 30)}”`, () => {
      assert.equal(printedPage(`remote: ${printed}`, WEB, 'docs-agent/job1'), page);
    });
  }
});

describe('sanitize', () => {
  it('removes secrets in any encoding, user names in URLs and control characters', () => {
    const secret = 's3cret/+x';
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
    for (const form of forms) {
      assert.doesNotMatch(sanitize(`a ${form} b`, [secret]), /s3cret|czNjcmV0/);
    }
    assert.equal(sanitize('at https://robin:pw@x.example/a\n\u001b[2Jend\u0007\u202e'), 'at https://x.example/a end');
    assert.equal(Array.from(sanitize('x'.repeat(9000))).length, 1_000);
  });
});
