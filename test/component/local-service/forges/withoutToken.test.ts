import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inEnglish } from '../../../support/codedText';
import { addHook, GitServer } from '../../../support/gitServer';
import { type PublicationFixture, createPublicationFixture } from '../../../support/publicationFixture';
import { git } from '../../../support/temporaryRepository';

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
