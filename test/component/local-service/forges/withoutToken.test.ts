import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inEnglish } from '../../../support/codedText';
import { addHook, GitServer } from '../../../support/gitServer';
import { type PublicationBench, publicationBench } from '../../../support/publication';
import { git } from '../../../support/temporaryRepository';

const BRANCH = 'docs-agent/job1';

/** Real git on both sides; a hook does what the host would. */
describe('ForgePublisher without a token', function () {
  this.timeout(120_000);
  let server: GitServer;
  let bench: PublicationBench;
  let bare: string;
  let webUrl: string;
  beforeEach(async () => {
    server = await GitServer.start();
    bench = await publicationBench();
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

    it('a push option opens the merge request, and a follow-up adds to it', async () => {
      const first = await bench.publisher().publish(await bench.next({ title: 'Two\nlines' }));
      assert.deepEqual(first, { prLink: `${webUrl}/-/merge_requests/7` });
      assert.equal(await noted(), 'merge_request.create\nmerge_request.target=main\nmerge_request.title=Two lines\n');
      const second = await bench.publisher().publish(await bench.next({ prLink: first.prLink }));
      assert.deepEqual(second, first);
      // What a reviewer has set since stays.
      assert.equal((await noted()).split('\n').slice(3).join('\n'), 'merge_request.create\n');
    });

    it('a push option opens it too with a helper’s token, which may be for pushes alone', async () => {
      server.password = 'robin:from-helper';
      await bench.configure(`[credential]\n\thelper = "!f() { echo username=robin; echo password=from-helper; }; f"\n`);
      const published = await bench.publisher().publish(await bench.next());
      assert.deepEqual(published, { prLink: `${webUrl}/-/merge_requests/7` });
      assert.match(await noted(), /^merge_request\.create\n/);
    });

    it('the merge request is found again after a push whose end was not seen', async () => {
      const publication = await bench.next();
      await bench.publisher().publish(publication);
      await rm(join(bare, 'hooks', 'post-receive'));
      assert.deepEqual(await bench.publisher().publish(publication), { prLink: `${webUrl}/-/merge_requests/7` });
    });

    it('a host that takes no push options gets the branch, and the user a page', async () => {
      await git(bare, 'config', 'receive.advertisePushOptions', 'false');
      await rm(join(bare, 'hooks', 'post-receive'));
      const published = await bench.publisher().publish(await bench.next());
      const query = 'merge_request%5Bsource_branch%5D=docs-agent%2Fjob1&merge_request%5Btarget_branch%5D=main';
      assert.equal(published.prLink, `${webUrl}/-/merge_requests/new?${query}`);
      assert.match(inEnglish(published.note), /There is no token for it\. Run “Docs Agent: Connect Code Host…”/);
      assert.ok((await refs()).includes(`refs/heads/${BRANCH}`));
    });
  });

  describe('on Gitea and Forgejo', () => {
    beforeEach(async () => {
      server.answers.set('/api/v1/version', { status: 200, body: { version: '1.23.1' } });
      // https://docs.gitea.com/usage/agit: no branch is made, and the same topic is the same pull request.
      await addHook(
        bare,
        'post-receive',
        `while read old new ref; do case "$ref" in refs/for/*)
git update-ref refs/pull/3/head $new; git update-ref -d "$ref"
printf '%s %s\\n' "$ref" "$GIT_PUSH_OPTION_0" >> options
echo 'Visit the existing pull request:'; echo '  ${webUrl}/pulls/3'; esac; done`,
      );
    });

    it('a push to refs/for opens the pull request, and a follow-up adds to it', async () => {
      const first = await bench.publisher().publish(await bench.next());
      assert.deepEqual(first, { prLink: `${webUrl}/pulls/3` });
      const second = await bench.next({ prLink: first.prLink });
      assert.deepEqual(await bench.publisher().publish(second), first);
      assert.equal(await noted(), `refs/for/main topic=${BRANCH}\n`.repeat(2));
      assert.deepEqual(await refs(), ['refs/heads/main', 'refs/pull/3/head']);
      assert.equal((await git(bare, 'rev-parse', 'refs/pull/3/head')).trim(), second.commit);
    });

    it('the same commit is not pushed twice', async () => {
      const publication = await bench.next();
      const first = await bench.publisher().publish(publication);
      assert.deepEqual(await bench.publisher().publish(publication), first);
      assert.equal(await noted(), `refs/for/main topic=${BRANCH}\n`);
    });

    it('a token that comes later leaves the pull request where it is', async () => {
      const { prLink } = await bench.publisher().publish(await bench.next());
      bench.tokens.set(server.host, { token: 'later-token' });
      assert.deepEqual(await bench.publisher().publish(await bench.next({ prLink })), { prLink });
      assert.deepEqual(await refs(), ['refs/heads/main', 'refs/pull/3/head']);
    });

    it('a branch that is there already stays the way', async () => {
      const first = await bench.next();
      await git(bench.hostGit, 'push', '--quiet', bare, first.branch);
      const published = await bench.publisher().publish(await bench.next({ prLink: `${webUrl}/pulls/9` }));
      assert.equal(published.prLink, `${webUrl}/pulls/9`);
      assert.match(inEnglish(published.note), /still open could not be seen/);
      assert.deepEqual(await refs(), [`refs/heads/${BRANCH}`, 'refs/heads/main']);
    });

    it('where refs/for is refused, the branch goes there, and the user gets a page', async () => {
      await addHook(bare, 'update', 'case "$1" in refs/for/*) echo no >&2; exit 1; esac');
      const published = await bench.publisher().publish(await bench.next());
      assert.equal(published.prLink, `${webUrl}/compare/main...docs-agent/job1`);
      assert.match(inEnglish(published.note), /no pull request was opened/);
    });
  });

  it('on GitHub gives the page on which to open one', async () => {
    server.answers.set('/api/v3', { status: 401, headers: { 'x-github-media-type': 'github.v3' } });
    const published = await bench.publisher().publish(await bench.next());
    assert.equal(published.prLink, `${webUrl}/compare/main...docs-agent/job1?expand=1`);
    assert.match(
      inEnglish(published.note),
      /is on 127\.0\.0\.1:\d+, but no pull request was opened\. There is no token for it/,
    );
  });

  it('keeps the link of a pull request under another name of the repository', async () => {
    server.answers.set('/api/v3', { status: 401, headers: { 'x-github-media-type': 'github.v3' } });
    const prLink = `${server.origin}/Robin/lamp/pull/4`;
    const published = await bench.publisher().publish(await bench.next({ prLink }));
    assert.equal(published.prLink, prLink);
    const elsewhere = await bench.publisher().publish(await bench.next({ prLink: 'https://other.example/a/b/pull/4' }));
    assert.match(elsewhere.prLink ?? '', /\/compare\/main\.\.\.docs-agent\/job1\?expand=1$/);
  });

  it('keeps the branch and says why when the API fails, and tries again with the next turn', async () => {
    server.answers.set('/api/v3', { status: 200, headers: { 'x-github-media-type': 'github.v3' } });
    const repository = '/api/v3/repos/robin/lighthouse';
    server.answers.set(repository, { status: 401, body: { message: 'Bad credentials' } });
    bench.tokens.set(server.host, { token: 'old-token' });
    const first = await bench.publisher().publish(await bench.next());
    assert.equal(first.prLink, `${webUrl}/compare/main...docs-agent/job1?expand=1`);
    assert.match(inEnglish(first.note), /did not accept the token \(Bad credentials\)/);
    const owner = { login: 'robin' };
    server.answers.set(repository, { status: 200, body: { name: 'lighthouse', owner, default_branch: 'main' } });
    const pull = { number: 5, html_url: `${webUrl}/pull/5`, state: 'open', head: { ref: BRANCH } };
    server.answers.set(`${repository}/pulls?head=robin%3Adocs-agent%2Fjob1&state=open`, { status: 200, body: [pull] });
    const second = await bench.publisher().publish(await bench.next({ prLink: first.prLink }));
    assert.deepEqual(second, { prLink: `${webUrl}/pull/5` });
  });
});
