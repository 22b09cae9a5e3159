import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Credential, Credentials } from '../../../../src/local-service/forges/credentials';
import { UserGit } from '../../../../src/local-service/git/userGit';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { GitServer } from '../../../support/gitServer';
import { notOnWindows } from '../../../support/machine';
import { type PublicationFixture, createPublicationFixture } from '../../../support/publicationFixture';
import { git } from '../../../support/temporaryRepository';

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

  it('ignores a helper’s answer for another host or with an invalid token', async () => {
    await helper('echo host=evil.example; echo username=robin; echo password=x');
    assert.equal(await find(), undefined);
    await helper("printf 'username=robin\\npassword=a b\\n'");
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
