import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownSettings, rewrittenUrl, settingsForPush, userConfiguration } from '../../../src/git/environment';
import { git, temporaryFolder } from '../../support/temporaryRepository';

describe('userConfiguration', function () {
  it('includes the user’s settings for this folder and none from the repository', async () => {
    const home = await temporaryFolder();
    const folder = join(home, 'office', 'repo');
    await mkdir(folder, { recursive: true });
    await git(folder, 'init', '--quiet');
    await git(folder, 'config', 'core.sshCommand', 'evil');
    await git(folder, 'config', 'include.path', join(home, 'evil'));
    await writeFile(join(home, 'evil'), '[credential]\n\thelper = evil\n');
    await writeFile(join(home, 'mine'), '[core]\n\tsshCommand = ssh -i work\n');
    const own = `[http]\n\tsslVerify\n[user]\n\tname = Two\\nlines\n[includeIf "gitdir:${home}/office/"]\n\tpath = mine\n`;
    await writeFile(join(home, '.gitconfig'), own);
    const environment = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
    const settings = await userConfiguration(environment, folder);
    assert.deepEqual(settingsForPush(settings), [
      ['http.sslverify', 'true'],
      ['user.name', 'Two\nlines'],
      ['core.sshcommand', 'ssh -i work'],
    ]);
  });

  it('includes only the system and global scopes', () => {
    const listed = 'system\0a.b\n1\0global\0e.f\0local\0c.d\n2\0worktree\0g.h\n3\0command\0i.j\n4\0';
    const wanted = [
      ['a.b', '1'],
      ['e.f', 'true'],
    ];
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      assert.deepEqual(ownSettings(listed, platform), wanted, platform);
    }
  });

  it('treats settings of unknown scope as system settings, for Apple’s git on macOS only', () => {
    const listed = 'unknown\0credential.helper\nosxkeychain\0';
    assert.deepEqual(ownSettings(listed, 'darwin'), [['credential.helper', 'osxkeychain']]);
    assert.deepEqual(ownSettings(listed, 'linux'), []);
    assert.deepEqual(ownSettings(listed, 'win32'), []);
  });

  it('passes on no setting that would extend a push or run programs during it', () => {
    const names = [
      'push.followtags',
      'remote.x.url',
      'branch.main.remote',
      'url.a.insteadof',
      'alias.x',
      'core.hookspath',
    ];
    const more = ['hook.x.command', 'include.path', 'includeif.gitdir:/.path', 'filter.x.clean', 'core.worktree'];
    assert.deepEqual(settingsForPush([...names, ...more].map((name) => [name, 'x'])), []);
    const kept = ['http.proxy', 'credential.helper', 'core.sshcommand', 'ssh.variant', 'pushy.x'];
    assert.equal(settingsForPush(kept.map((name) => [name, 'x'])).length, kept.length);
  });
});

describe('rewrittenUrl', () => {
  const settings = [
    ['url.https://one.example/.insteadof', 'a:'],
    ['url.https://two.example/.insteadof', 'a:b/'],
    ['url.ssh://git@three.example/.pushinsteadof', 'https://one.example/'],
    ['url.https://four.example/.pushinsteadof', 'a:c/'],
  ] as const;
  for (const [url, isPushUrl, wanted] of [
    ['a:x', false, 'https://one.example/x'],
    ['a:b/x', false, 'https://two.example/x'],
    ['a:c/x', false, 'https://four.example/x'],
    ['a:c/x', true, 'https://one.example/c/x'],
    ['https://one.example/x', false, 'ssh://git@three.example/x'],
    ['https://one.example/x', true, 'https://one.example/x'],
    ['other:x', false, 'other:x'],
  ] as const) {
    it(`returns ${wanted} for ${url}${isPushUrl ? ' as a pushurl' : ''}`, () => {
      assert.equal(rewrittenUrl(settings, url, isPushUrl), wanted);
    });
  }

  it('matches the result of git', async () => {
    const folder = await temporaryFolder();
    await git(folder, 'init', '--quiet');
    for (const [name, value] of settings) {
      await git(folder, 'config', name, value);
    }
    for (const url of ['a:x', 'a:b/x', 'a:c/x', 'https://one.example/x', 'other:x']) {
      await git(folder, 'config', 'remote.origin.url', url);
      const said = await git(folder, 'remote', 'get-url', '--push', 'origin');
      assert.equal(rewrittenUrl(settings, url, false), said.trim());
      await git(folder, 'config', 'remote.other.pushurl', url);
      const explicit = await git(folder, 'remote', 'get-url', '--push', 'other');
      assert.equal(rewrittenUrl(settings, url, true), explicit.trim());
    }
  });
});
