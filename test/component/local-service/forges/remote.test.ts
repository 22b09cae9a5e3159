import assert from 'node:assert/strict';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../../../src/git/environment';
import { Git } from '../../../../src/git/git';
import { tooManySettings } from '../../../../src/git/repositorySettings';
import { findRemote } from '../../../../src/local-service/forges/remote';
import { git, temporaryFolder } from '../../../support/temporaryRepository';
import type { ForgeKind } from '../../../../src/protocol/forgeKinds';
import { ForgeHttp } from '../../../../src/local-service/forges/forge';
import { ForgeDetector } from '../../../../src/local-service/forges/forges';
import { ManualClock } from '../../../support/manualClock';
import { type ScriptedAnswer, ScriptedServer } from '../../../support/scriptedServer';
import { existsSync } from 'node:fs';
import { type Credential, Credentials } from '../../../../src/local-service/forges/credentials';
import { UserGit } from '../../../../src/local-service/git/userGit';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { Authority } from '../../../support/certificates';
import { inEnglish } from '../../../support/codedText';
import { GitServer } from '../../../support/gitServer';
import { notOnWindows } from '../../../support/machine';
import { type PublicationFixture, createPublicationFixture } from '../../../support/publicationFixture';

describe('findRemote', function () {
  const own = new Git(process.env);
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    await git(folder, 'init', '--quiet');
  });

  const add = (name: string): Promise<string> =>
    git(folder, 'config', `remote.${name}.url`, `https://git.example.org/${name}/x.git`);
  const found = async (base: string | null = 'main') => {
    const remote = await findRemote(own, [], folder, base);
    return remote && [remote.name, remote.base];
  };

  it('returns nothing without a remote or when no remote has a URL', async () => {
    assert.equal(await found(), undefined);
    await git(folder, 'config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    assert.equal(await found(), undefined);
  });

  it('prefers the base branch’s remote, then origin, then the only remote', async () => {
    await add('fork.of.mine');
    assert.deepEqual(await found(), ['fork.of.mine', 'main']);
    await add('other');
    assert.equal(await found(), undefined);
    await add('origin');
    assert.deepEqual(await found(), ['origin', 'main']);
    await git(folder, 'config', 'branch.main.remote', 'other');
    await git(folder, 'config', 'branch.main.merge', 'refs/heads/trunk');
    assert.deepEqual(await found(), ['other', 'trunk']);
    assert.deepEqual(await found('elsewhere'), ['origin', 'elsewhere']);
    assert.deepEqual(await found(null), ['origin', null]);
  });

  it('reads none of the settings of other branches, which can be many', async () => {
    await add('origin');
    await add('other');
    await git(folder, 'config', 'branch.a+b.remote', 'other');
    const sections = Array.from(
      { length: 10_000 },
      (_, index) => `[branch "b${index}"]\n\tremote = origin\n\tmerge = refs/heads/b${index}\n`,
    );
    await appendFile(join(folder, '.git/config'), sections.join(''));
    assert.deepEqual(await found('a+b'), ['other', 'a+b']);
    assert.deepEqual(await found('b9999'), ['origin', 'b9999']);
  });

  it('rejects a repository with too many remotes', async () => {
    const sections = Array.from({ length: 20_000 }, (_, index) => `[remote "r${index}"]\n\turl = x\n`);
    await appendFile(join(folder, '.git/config'), sections.join(''));
    await assert.rejects(found(), tooManySettings());
  });

  it('uses the configured push remote and the tracked remote as upstream', async () => {
    for (const name of ['origin', 'mine', 'theirs']) {
      await add(name);
    }
    await git(folder, 'config', 'branch.main.remote', 'origin');
    await git(folder, 'config', 'branch.main.merge', 'refs/heads/trunk');
    const both = async (settings: Settings = []) => {
      const remote = await findRemote(own, settings, folder, 'main');
      return [remote?.name, remote?.base, remote?.upstream?.pushUrl];
    };
    assert.deepEqual(await both(), ['origin', 'trunk', undefined]);
    const upstream = 'https://git.example.org/origin/x.git';
    assert.deepEqual(await both([['remote.pushdefault', 'mine']]), ['mine', 'trunk', upstream]);
    await git(folder, 'config', 'remote.pushDefault', 'theirs');
    assert.deepEqual(await both([['remote.pushdefault', 'mine']]), ['theirs', 'trunk', upstream]);
    await git(folder, 'config', 'branch.main.pushRemote', 'mine');
    assert.deepEqual(await both(), ['mine', 'trunk', upstream]);
    await git(folder, 'config', 'branch.main.pushRemote', 'gone');
    assert.deepEqual(await both(), ['theirs', 'trunk', upstream]);
    await git(folder, 'config', 'remote.pushDefault', 'origin');
    assert.deepEqual(await both(), ['origin', 'trunk', undefined]);
  });

  it('ignores an invalid branch name in the configuration', async () => {
    await add('origin');
    await git(folder, 'config', 'branch.main.remote', 'origin');
    for (const merge of ['refs/heads/a\nb', 'refs/heads/-x', 'refs/heads/a:b', 'refs/tags/x']) {
      await git(folder, 'config', 'branch.main.merge', merge);
      assert.deepEqual(await found(), ['origin', 'main']);
    }
  });

  it('uses the first push URL', async () => {
    await add('origin');
    await git(folder, 'config', '--add', 'remote.origin.pushurl', 'git@git.example.org:a/b.git');
    await git(folder, 'config', '--add', 'remote.origin.pushurl', 'https://evil.example/a/b.git');
    const remote = await findRemote(own, [], folder, 'main');
    assert.equal(remote?.pushUrl, 'git@git.example.org:a/b.git');
    assert.deepEqual(remote.address, { host: 'git.example.org', origin: 'https://git.example.org', path: 'a/b' });
  });
});

const never = new AbortController().signal;

describe('ForgeDetector', function () {
  let server: ScriptedServer;
  let http: ForgeHttp;
  let clock: ManualClock;
  let detector: ForgeDetector;
  beforeEach(async () => {
    server = await ScriptedServer.start();
    http = new ForgeHttp({});
    clock = new ManualClock();
    detector = new ForgeDetector(http, clock);
  });
  afterEach(async () => {
    await http.close();
    await server.close();
  });

  const kindOf = async (origin: string, signal: AbortSignal): Promise<ForgeKind | 'unknown'> =>
    (await detector.detect({ origin, path: 'robin/lighthouse' }, signal)).forge?.kind ?? 'unknown';

  for (const [host, kind] of [
    ['github.com', 'github'],
    ['github.example.org', 'github'],
    ['team.ghe.com', 'github'],
    ['gitlab.com', 'gitlab'],
    ['gitlab.example.org', 'gitlab'],
    ['bitbucket.org', 'bitbucket'],
    ['codeberg.org', 'gitea'],
    ['forgejo.example.org', 'gitea'],
    ['gitea.example.org', 'gitea'],
  ] as const) {
    it(`recognizes ${host} by its name`, async () => {
      assert.equal(await kindOf(`https://${host}`, never), kind);
    });
  }

  const probes: [ForgeKind | 'unknown', string, ScriptedAnswer][] = [
    ['gitlab', '/api/v4/version', { status: 401, body: { message: '401 Unauthorized' } }],
    ['gitlab', '/api/v4/version', { status: 200, body: { version: '17.5.0', revision: 'abc' } }],
    ['gitea', '/api/v1/version', { status: 200, body: { version: '1.23.1' } }],
    ['github', '/api/v3', { status: 401, headers: { 'x-github-enterprise-version': '3.15' }, body: {} }],
    ['unknown', '/nothing', { status: 200 }],
  ];
  for (const [kind, path, answer] of probes) {
    it(`detects ${kind} by ${path} (${answer.status ?? 200}) without a token and caches the result`, async () => {
      server.choose = (seen) => (seen.path === path ? answer : { status: 404, body: '<html>' });
      assert.equal(await kindOf(server.url, never), kind);
      assert.equal(await kindOf(server.url, never), kind);
      assert.equal(server.requests.length, 3);
      assert.ok(server.requests.every(({ headers }) => headers.authorization === undefined));
    });
  }

  it('detects GitLab below a path, and asks there only if an owner and a name follow', async () => {
    server.choose = ({ path }) => ({
      status: path === '/git/api/v4/version' ? 401 : 404,
      body: { message: '401 Unauthorized' },
    });
    const at = { origin: server.url, path: 'git/robin/lighthouse' };
    const { forge, origin } = await detector.detect(at, never);
    assert.deepEqual([forge?.kind, origin], ['gitlab', `${server.url}/git`]);
    await detector.detect(at, never);
    assert.deepEqual(await detector.detect({ ...at, path: 'git/robin' }, never), {
      forge: undefined,
      origin: server.url,
    });
    assert.equal(server.requests.length, 6);
  });

  it('checks an unknown host again later', async () => {
    server.answers = [{ status: 404 }];
    await kindOf(server.url, never);
    await clock.advance(11 * 60_000);
    server.choose = ({ path }) =>
      path === '/api/v1/version' ? { status: 200, body: { version: '1' } } : { status: 404 };
    assert.equal(await kindOf(server.url, never), 'gitea');
  });

  describe('when the host doesn’t answer', () => {
    let secure: ScriptedServer;
    beforeEach(async () => {
      const authority = await Authority.make();
      secure = await ScriptedServer.startSecure(await authority.issue({ hosts: ['127.0.0.1'] }));
    });
    afterEach(() => secure.close());

    const cases: [what: string, answer: ScriptedAnswer | 'secure', why: RegExp][] = [
      [
        'its certificate can’t be verified',
        'secure',
        /^Couldn’t verify the certificate of 127\.0\.0\.1:\d+: unable to verify the first certificate\. .*NODE_EXTRA_CA_CERTS/,
      ],
      ['the connection is lost', { fault: 'reset' }, /^Couldn’t reach 127\.0\.0\.1:\d+ \(\w+\)\./],
      ['a proxy answers for it', { status: 503 }, /^127\.0\.0\.1:\d+ is having problems \(status 503\)/],
    ];
    for (const [what, answer, why] of cases) {
      it(`says that ${what}, and asks again`, async () => {
        const host = answer === 'secure' ? secure : server;
        host.answers = [answer === 'secure' ? {} : answer];
        const at = { origin: host.url, path: 'robin/lighthouse' };
        const { forge, problem } = await detector.detect(at, never);
        assert.equal(forge, undefined);
        assert.match(inEnglish(problem), why);
        const asked = (): number => host.connections + host.requests.length;
        const before = asked();
        await detector.detect(at, never);
        assert.ok(asked() > before);
      });
    }
  });

  it('does not follow a redirect to another host', async () => {
    const other = await ScriptedServer.start({ status: 200, body: { version: '1' } });
    server.answers = [{ status: 302, headers: { location: `${other.url}/api/v1/version` } }];
    assert.equal(await kindOf(server.url, never), 'unknown');
    await other.close();
    assert.equal(other.connections, 0);
  });

  it('does not read an endless response', async () => {
    server.answers = [{ fault: 'endless' }];
    assert.equal(await kindOf(server.url, never), 'unknown');
  });
});

const AT = { host: 'git.example.org', origin: 'https://git.example.org', path: 'robin/lighthouse' };

describe('Credentials', function () {
  notOnWindows();
  let bench: PublicationFixture;
  beforeEach(async () => {
    bench = await createPublicationFixture();
  });

  async function find(timeoutMs?: number, signal = new AbortController().signal): Promise<Credential | undefined> {
    const userGit = await UserGit.in(bench.folder, bench.environment);
    return new Credentials(bench.environment, bench.tokens, timeoutMs).find(userGit, bench.hostGit, AT, signal);
  }
  const log = (): Promise<string> => readFile(join(bench.root, 'log'), 'utf8').catch(() => '');

  /** Installs a credential helper the usual way: a program `git-credential-NAME` on PATH. */
  async function helper(script: string): Promise<void> {
    await bench.program(
      'git-credential-mine',
      `echo "$1" >> '${bench.root}/log'\ncat >> '${bench.root}/log'\n${script}`,
    );
    await bench.configure('[credential]\n\thelper = mine\n');
  }
  const gh = (script: string): Promise<string> =>
    bench.program('gh', `echo "$@ \${GH_TOKEN-no}" >> '${bench.root}/gh'\n${script}`);

  it('returns nothing when no source has credentials', async () => {
    assert.equal(await find(), undefined);
  });

  it('prefers the configured token, but only for its exact host', async () => {
    await helper('echo username=robin; echo password=from-helper');
    bench.tokens.set('git.example.org', { token: 'given' });
    assert.deepEqual(await find(), { token: 'given', source: 'given' });
    assert.equal(await log(), '');
    bench.tokens.remove('GIT.example.org');
    bench.tokens.set('git.example.org:8443', { token: 'for-another-port' });
    assert.equal((await find())?.source, 'helper');
    assert.deepEqual(bench.tokens.hosts(), ['git.example.org:8443']);
  });

  it('takes the token from git’s credential helper and only asks it for this host', async () => {
    await helper('echo username=robin; echo password=from-helper');
    await gh('echo from-gh');
    assert.deepEqual(await find(), { token: 'from-helper', username: 'robin', source: 'helper' });
    assert.deepEqual(bench.secrets, ['from-helper']);
    assert.equal(await log(), 'get\nprotocol=https\nhost=git.example.org\n');
    assert.equal(existsSync(join(bench.root, 'gh')), false);
  });

  it('takes the token of the GitHub CLI, which does not see tokens from the environment', async () => {
    await helper('true');
    await gh('echo from-gh');
    assert.deepEqual(await find(), { token: 'from-gh', source: 'gh' });
    assert.equal(await readFile(join(bench.root, 'gh'), 'utf8'), 'auth token --hostname git.example.org no\n');
  });

  it('ignores a helper’s answer for another host, and that of a GitHub CLI without a login', async () => {
    await helper('echo host=evil.example; echo username=robin; echo password=x');
    assert.equal(await find(), undefined);
    await gh('echo not logged in >&2; exit 1');
    assert.equal(await find(), undefined);
  });

  it('stops waiting for a helper after a timeout', async () => {
    await helper('sleep 600');
    await gh('sleep 600');
    assert.equal(await find(1500), undefined);
  });

  it('stops waiting for a helper when the turn is stopped', async () => {
    await helper('sleep 600');
    const controller = new AbortController();
    const finding = find(60_000, controller.signal);
    while ((await log()) === '') {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    controller.abort(new Error('stopped'));
    await assert.rejects(finding, /^Error: stopped$/);
  });

  it('returns the token even if the helper leaves a process that holds its error output', async () => {
    await helper(
      `sleep 600 > /dev/null & echo $! > '${bench.root}/daemon'\necho username=robin; echo password=from-helper`,
    );
    assert.equal((await find())?.token, 'from-helper');
    process.kill(Number(await readFile(join(bench.root, 'daemon'), 'utf8')), 'SIGKILL');
  });

  it('never prompts the user', async () => {
    const asked = join(bench.root, 'asked');
    const program = await bench.program('ask', `touch '${asked}'; echo x`);
    Object.assign(bench.environment, { GIT_ASKPASS: program, SSH_ASKPASS: program, DISPLAY: ':0' });
    await bench.configure(`[core]\n\taskPass = ${program}\n`);
    assert.equal(await find(), undefined);
    assert.equal(existsSync(asked), false);
  });

  describe('during a push', () => {
    let server: GitServer;
    beforeEach(async () => {
      server = await GitServer.start();
      await server.add('robin/lighthouse', bench.folder);
      await git(bench.folder, 'remote', 'add', 'origin', `${server.origin}/robin/lighthouse.git`);
      server.password = 'robin:from-helper';
    });
    afterEach(() => server.close());

    // The leftover process would block the push for ten minutes; the test’s timeout is two.
    it('is not delayed by a process that the helper leaves behind, whether the push succeeds or hangs', async () => {
      await helper(
        `sleep 600 > /dev/null & echo $! >> '${bench.root}/daemons'\necho username=robin; echo password=from-helper`,
      );
      const publisher = bench.publisher({ pushMs: 1500 });
      await bench.publisher().publish(await bench.next());
      server.hangs = true;
      await assert.rejects(publisher.publish(await bench.next()), TurnFailure);
      for (const pid of (await readFile(join(bench.root, 'daemons'), 'utf8')).trim().split('\n')) {
        try {
          process.kill(Number(pid), 'SIGKILL');
        } catch {
          // It was killed together with the push.
        }
      }
    });

    it('stops the push in time when the helper hangs', async () => {
      await helper('sleep 600');
      const publisher = bench.publisher({ pushMs: 1500, credentialMs: 1500 });
      await assert.rejects(publisher.publish(await bench.next()), /took too long and was stopped/);
    });

    it('does not reveal the configured token to the user’s helpers', async () => {
      await helper('true');
      server.password = 'oauth2:given-token-1';
      bench.tokens.set(server.host, { token: 'given-token-1' });
      await bench.publisher().publish(await bench.next());
      assert.equal(await log(), '');
    });
  });
});
