import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostHasMore, TurnFailure } from '../../../../src/local-service/turnFailure';
import { inEnglish } from '../../../support/codedText';
import { addHook, GitServer } from '../../../support/gitServer';
import { type PublicationFixture, createPublicationFixture } from '../../../support/publicationFixture';
import { ScriptedServer } from '../../../support/scriptedServer';
import { git, temporaryFolder } from '../../../support/temporaryRepository';
import { itOnUnix } from '../../../support/machine';

const BRANCH = 'refs/heads/docs-agent/job1';

describe('ForgePublisher pushing', function () {
  let server: GitServer;
  let bench: PublicationFixture;
  let bare: string;
  beforeEach(async () => {
    server = await GitServer.start();
    bench = await createPublicationFixture();
    bare = await server.add('robin/lighthouse', bench.folder);
    await git(bench.folder, 'remote', 'add', 'origin', `${server.origin}/robin/lighthouse.git`);
  });
  afterEach(() => server.close());

  const onHost = async (): Promise<string> => (await git(bare, 'rev-parse', '--verify', BRANCH)).trim();
  const fails = async (words: RegExp): Promise<TurnFailure> => {
    const error: unknown = await bench
      .publisher({ pushMs: 60_000 })
      .publish(await bench.next())
      .then(
        () => assert.fail('it was published'),
        (reason: unknown) => reason,
      );
    assert.ok(error instanceof TurnFailure, String(error));
    assert.match(error.message, words);
    return error;
  };

  it('does nothing for a repository without a remote', async () => {
    await git(bench.folder, 'remote', 'remove', 'origin');
    assert.deepEqual(await bench.publisher().publish(await bench.next()), { prLink: null });
  });

  it('pushes the branch and adds follow-up commits to it', async () => {
    const first = await bench.next();
    const published = await bench.publisher().publish(first);
    assert.equal(await onHost(), first.commit);
    assert.equal(published.prLink, null);
    assert.match(inEnglish(published.note), /docs-agent\/job1 is on 127\.0\.0\.1:\d+, but no pull request was opened/);
    const second = await bench.next();
    await bench.publisher().publish(second);
    assert.equal(await onHost(), second.commit);
    // Pushing again is harmless; a service that was killed does so after its restart.
    await bench.publisher().publish(second);
  });

  it('pushes with the configured token and never logs it', async () => {
    server.password = 'oauth2:given-token-1';
    bench.tokens.set(server.host, { token: 'given-token-1' });
    const publication = await bench.next();
    await bench.publisher().publish(publication);
    assert.equal(await onHost(), publication.commit);
    assert.doesNotMatch(bench.lines.join('\n'), /given-token-1/);
  });

  it('pushes with credentials from the user’s credential helper', async () => {
    server.password = 'robin:from-helper';
    await bench.configure(`[credential]\n\thelper = "!f() { echo username=robin; echo password=from-helper; }; f"\n`);
    const publication = await bench.next();
    await bench.publisher().publish(publication);
    assert.equal(await onHost(), publication.commit);
  });

  it('falls back to the user’s credentials when the configured token is rejected', async () => {
    server.password = 'robin:from-helper';
    bench.tokens.set(server.host, { token: 'wrong-token' });
    await bench.configure(`[credential]\n\thelper = "!f() { echo username=robin; echo password=from-helper; }; f"\n`);
    const publication = await bench.next();
    await bench.publisher().publish(publication);
    assert.equal(await onHost(), publication.commit);
  });

  const shut: [string, string | undefined][] = [
    ['push', 'robin:from-helper'],
    ['open the pull request', undefined],
  ];
  for (const [what, password] of shut) {
    it(`falls back to the user’s credentials when the token cannot see the repository: ${what}`, async () => {
      server.answers.set('/api/v3', { status: 200, headers: { 'x-github-media-type': 'github.v3' } });
      const owner = { login: 'robin' };
      server.answersByToken.set('from-helper', { name: 'lighthouse', owner, default_branch: 'main' });
      server.password = password;
      server.hides = true;
      bench.tokens.set(server.host, { token: 'wrong-token' });
      await bench.configure(`[credential]\n\thelper = "!f() { echo username=robin; echo password=from-helper; }; f"\n`);
      const publication = await bench.next();
      const pull = { number: 5, html_url: `${server.origin}/robin/lighthouse/pull/5`, state: 'open' };
      server.answers.set('/api/v3/repos/robin/lighthouse/pulls?head=robin%3Adocs-agent%2Fjob1&state=open', {
        status: 200,
        body: [{ ...pull, head: { ref: publication.branch } }],
      });
      assert.deepEqual(await bench.publisher().publish(publication), { prLink: pull.html_url });
      assert.equal(await onHost(), publication.commit);
    });
  }

  it('tells the user how to connect the host when no credentials are accepted', async () => {
    server.password = 'robin:secret';
    await fails(/denied the push to robin\/lighthouse\. Sign in with “Docs Agent: Manage Local Service…”/);
  });

  it('does not overwrite commits on the host', async () => {
    const first = await bench.next();
    await bench.publisher().publish(first);
    const tree = (await git(bare, 'rev-parse', `${first.commit}^{tree}`)).trim();
    const foreign = (await git(bare, 'commit-tree', tree, '-p', first.commit, '-m', 'Theirs')).trim();
    await git(bare, 'update-ref', BRANCH, foreign);
    const error = await fails(/docs-agent\/job1 on 127\.0\.0\.1:\d+ has new commits/);
    assert.ok(error instanceof HostHasMore);
    assert.equal(await onHost(), foreign);
  });

  it('tells when someone else pushes at the same moment', async () => {
    const first = await bench.next();
    await bench.publisher().publish(first);
    await addHook(bare, 'update', 'git update-ref "$1" main');
    assert.ok((await fails(/docs-agent\/job1 on 127\.0\.0\.1:\d+ has new commits/)) instanceof HostHasMore);
  });

  it('reports the message of a rejecting hook without its control characters', async () => {
    await addHook(bare, 'pre-receive', `printf 'Branch is \\033[31mprotected\\033[0m by rule 7.\\n' >&2; exit 1`);
    const { message } = await fails(/rejected branch docs-agent\/job1: Branch is protected by rule 7\.$/);
    // oxlint-disable-next-line no-control-regex -- the test looks for control characters
    assert.doesNotMatch(message, /[\u0000-\u001f]/);
  });

  it('reports a missing repository', async () => {
    await git(bench.folder, 'remote', 'set-url', 'origin', `${server.origin}/robin/gone.git`);
    await fails(/has no repository robin\/gone, or you don’t have access to it/);
  });

  it('reports an unreachable host', async () => {
    const gone = await GitServer.start();
    await git(bench.folder, 'remote', 'set-url', 'origin', `${gone.origin}/robin/lighthouse.git`);
    await gone.close();
    await fails(/Couldn’t reach .+: .*Check the connection/);
  });

  it('stops a push that takes too long', async () => {
    server.hangs = true;
    const error: unknown = await bench
      .publisher({ pushMs: 1000 })
      .publish(await bench.next())
      .catch((e: unknown) => e);
    assert.ok(error instanceof TurnFailure);
    assert.match(error.message, /took too long and was stopped/);
  });

  it('stops immediately when the turn is stopped', async () => {
    server.hangs = true;
    const controller = new AbortController();
    const publishing = bench.publisher().publish(await bench.next({ signal: controller.signal }));
    while (server.requests.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    controller.abort(new Error('stopped'));
    await assert.rejects(publishing, /^Error: stopped$/);
  });

  const redirects: [string, () => string][] = [
    ['', () => ''],
    [' and the user follows redirects', () => '[http]\n\tfollowRedirects = true\n'],
    [' and the user follows redirects of that host', () => `[http "${server.origin}"]\n\tfollowRedirects = true\n`],
  ];
  for (const [and, configuration] of redirects) {
    it(`contacts no other host and asks for no credentials for it when the host redirects${and}`, async () => {
      const other = await GitServer.start();
      try {
        await other.add('robin/lighthouse', bench.folder);
        other.password = 'robin:from-helper';
        server.redirectTo = other.origin;
        const asked = join(bench.root, 'asked');
        const helper = await bench.program(
          'helper',
          `cat >> '${asked}'; echo username=robin; echo password=from-helper`,
        );
        await bench.configure(`[credential]\n\thelper = ${helper}\n${configuration()}`);
        await fails(/redirects robin\/lighthouse to another URL.* the remote “origin” with “git remote set-url”/);
        assert.deepEqual(other.requests, []);
        const hosts = (await readFile(asked, 'utf8')).split('\n').filter((line) => line.startsWith('host='));
        assert.deepEqual([...new Set(hosts)], [`host=${server.host}`]);
      } finally {
        await other.close();
      }
    });
  }

  it('applies insteadOf only from the user’s own git configuration', async () => {
    await git(bench.folder, 'remote', 'set-url', 'origin', 'mine:robin/lighthouse.git');
    await git(bench.folder, 'config', 'url.https://evil.example/.insteadOf', 'mine:');
    await bench.configure(`[url "${server.origin}/"]\n\tinsteadOf = mine:\n`);
    const publication = await bench.next();
    await bench.publisher().publish(publication);
    assert.equal(await onHost(), publication.commit);
    assert.equal((await bench.publisher().hostOf(bench.folder))?.host, server.host);
  });

  it('detects the kind of a host without credentials, and only within the given time', async () => {
    const host = await ScriptedServer.start({ status: 404 });
    try {
      await git(bench.folder, 'remote', 'set-url', 'origin', `${host.url}/robin/lighthouse.git`);
      const asked = join(bench.root, 'asked');
      await bench.program('gh', `echo gh >> '${asked}'`);
      await bench.configure(`[credential]\n\thelper = ${await bench.program('helper', `echo helper >> '${asked}'`)}\n`);
      const { host: name } = new URL(host.url);
      bench.tokens.set(name, { token: 'given-token-1' });
      assert.deepEqual(await bench.publisher().hostOf(bench.folder), { host: name, kind: 'unknown' });
      assert.deepEqual(host.requests.map(({ path }) => path).toSorted(), [
        '/api/v1/version',
        '/api/v3',
        '/api/v4/version',
      ]);
      assert.ok(host.requests.every(({ headers }) => headers.authorization === undefined));
      assert.equal(existsSync(asked), false);
      host.answers = [{ fault: 'hang' }];
      const signal = AbortSignal.timeout(500);
      await assert.rejects(bench.publisher().hostOf(bench.folder, signal), { name: 'TimeoutError' });
    } finally {
      await host.close();
    }
  });

  it('pushes to a remote that is a local folder without running its hooks', async () => {
    const folder = join(await temporaryFolder(), 'bare.git');
    await git(bench.folder, 'clone', '--quiet', '--bare', '.', folder);
    await addHook(folder, 'pre-receive', `touch '${folder}/ran'`);
    await addHook(folder, 'reference-transaction', `touch '${folder}/ran'`);
    await git(bench.folder, 'remote', 'set-url', 'origin', folder);
    const publication = await bench.next();
    assert.deepEqual(await bench.publisher().publish(publication), { prLink: null });
    assert.equal((await git(folder, 'rev-parse', BRANCH)).trim(), publication.commit);
    assert.equal(existsSync(join(folder, 'ran')), false);
    assert.equal(await bench.publisher().hostOf(bench.folder), undefined);
  });

  it('refuses remote URLs with an unsupported scheme', async () => {
    for (const url of ['ext::sh -c true', 'git://127.0.0.1/x', 'http://example.org/a/b.git', 'https://x.example/a b']) {
      await git(bench.folder, 'config', 'remote.origin.url', url);
      await fails(/isn’t HTTPS, SSH, or a folder/);
    }
  });

  itOnUnix('pushes over ssh with the user’s own ssh program', async () => {
    const seen = join(bench.root, 'ssh.log');
    // A fake ssh that logs its arguments and runs the host’s command on this machine.
    await bench.program('ssh', `echo "$@" >> '${seen}'\nfor last; do :; done\ncd '${server.root}' && eval "$last"`);
    await git(bench.folder, 'remote', 'set-url', 'origin', 'git@gitlab.example.org:robin/lighthouse.git');
    const publication = await bench.next();
    const published = await bench.publisher().publish(publication);
    assert.equal(await onHost(), publication.commit);
    assert.match(
      published.prLink ?? '',
      /^https:\/\/gitlab\.example\.org\/robin\/lighthouse\/-\/merge_requests\/new\?/,
    );
    assert.match(await readFile(seen, 'utf8'), /git@gitlab\.example\.org git-receive-pack 'robin\/lighthouse\.git'/);
  });

  it('tells the host of the checked-out branch, also when a tag has its name', async () => {
    await git(bench.folder, 'remote', 'add', 'work', 'https://gitlab.com/robin/lighthouse.git');
    await git(bench.folder, 'config', 'branch.main.pushRemote', 'work');
    await git(bench.folder, 'tag', 'main');
    const found = await bench.publisher().hostOf(bench.folder);
    assert.deepEqual(found, { host: 'gitlab.com', kind: 'gitlab' });
  });

  itOnUnix('resolves a host alias from the user’s ssh configuration', async () => {
    await bench.program(
      'ssh',
      `if [ "$1" = -G ]; then echo 'user git'; echo 'hostname ssh.github.com'; exit; fi
for last; do :; done; cd '${server.root}' && eval "$last"`,
    );
    await git(bench.folder, 'remote', 'set-url', 'origin', 'git@github-work:robin/lighthouse.git');
    assert.deepEqual(await bench.publisher().hostOf(bench.folder), { host: 'github.com', kind: 'github' });
    const published = await bench.publisher().publish(await bench.next());
    assert.equal(published.prLink, 'https://github.com/robin/lighthouse/compare/main...docs-agent/job1?expand=1');
  });
});
