import assert, { strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import fc from 'fast-check';
import { ownSettings, rewrittenUrl, settingsForPush, userConfiguration } from '../../../src/git/environment';
import { whyNotTrusted } from '../../../src/git/errors';
import { Git, isBranchName } from '../../../src/git/git';
import { findProgram } from '../../../src/git/programPaths';
import { jobFolders, prepareClones } from '../../../src/local-service/git/jobClone';
import { UnusableFolder, UserRepository } from '../../../src/local-service/git/userRepository';
import { createSampleRepository, git, git as plainGit, temporaryFolder } from '../../support/temporaryRepository';

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

describe('isBranchName', () => {
  for (const name of ['main', 'docs-agent/0123abcd', 'mintlify/add-page-123', 'fix/über', 'a.b', 'v1@2', 'feature#1']) {
    it(`accepts ${name}`, () => strictEqual(isBranchName(name), true));
  }

  for (const name of [
    '',
    '-f',
    '--upload-pack=x',
    'a..b',
    'a b',
    'a:b',
    'a^',
    'a~1',
    '@',
    'a@{1}',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a.',
    'HEAD',
    'refs/heads/a',
    'a\nb',
    'a\\b',
    'a*',
  ]) {
    it(`rejects ${JSON.stringify(name)}`, () => strictEqual(isBranchName(name), false));
  }

  it('accepts only names that git accepts', () => {
    const text = fc.string({
      unit: fc.constantFrom(...'ab/.-@{}~^:?*[\\ +lock'.split(/(?:)/)),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, (name) => {
        fc.pre(isBranchName(name));
        strictEqual(spawnSync('git', ['check-ref-format', '--branch', name]).status, 0, name);
      }),
      { numRuns: 60 },
    );
  });
});

/** A user ID that does not exist on this machine. */
const OTHER_USER = 54_321;

describe('repository owned by another user', function () {
  let folder: string;
  let home: string;
  before(function () {
    if (process.platform === 'win32') {
      this.skip();
    }
  });
  beforeEach(async () => {
    [folder, home] = await Promise.all([temporaryFolder(), temporaryFolder()]);
    await createSampleRepository(folder);
  });

  const trust = (...directories: string[]) =>
    writeFile(join(home, '.gitconfig'), `[safe]\n${directories.map((each) => `directory = ${each}\n`).join('')}`);
  const environment = (bin = '') => {
    const PATH = [bin, process.env['PATH']].join(delimiter);
    return { PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  };

  it('is refused with the command that trusts it and accepted once the user has run it', async () => {
    // Makes git treat each repository as another user’s.
    const bin = await temporaryFolder();
    const real = await findProgram('git', process.env);
    const script = `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '${real ?? ''}' "$@"\n`;
    await writeFile(join(bin, 'git'), script, { mode: 0o755 });
    const repository = new UserRepository(new Git(environment(bin)));
    const refused = (error: unknown): boolean => {
      assert.ok(error instanceof UnusableFolder);
      assert.match(error.message, /^git does not trust this repository, because its folder belongs to another user\./);
      assert.ok(error.message.includes(`run “git config --global --add safe.directory ${folder}”`), error.message);
      return true;
    };
    await assert.rejects(repository.topLevel(folder), refused);
    await trust('/elsewhere');
    await assert.rejects(repository.topLevel(folder), refused);
    await trust('/elsewhere', folder);
    assert.equal(await repository.topLevel(folder), folder);
    assert.equal((await repository.head(folder)).branch, 'main');
  });

  it('is cloned when the user trusts its folder or all folders', async function () {
    if (process.getuid?.() !== 0) {
      // Only root can change the owner of a folder.
      this.skip();
    }
    const base = (await plainGit(folder, 'rev-parse', 'HEAD')).trim();
    for (const path of ['', ...(await readdir(folder, { recursive: true }))]) {
      await chown(join(folder, path), OTHER_USER, OTHER_USER);
    }
    const prepare = async () => {
      const folders = jobFolders(join(await temporaryFolder(), 'job'));
      await prepareClones(new Git(environment()), folders, folder, 'docs-agent/j1', base);
      return (await plainGit(folders.work, 'rev-parse', 'HEAD')).trim();
    };
    for (const trusted of [folder, `${folder}/`, '*']) {
      await trust("/it's elsewhere", trusted);
      assert.equal(await prepare(), base, trusted);
    }
  });
});

describe('whyNotTrusted', () => {
  it('recognizes git’s message in each version and ignores other errors', () => {
    const older =
      "fatal: unsafe repository ('/r' is owned by someone else)\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory '/r x'\n";
    assert.match(whyNotTrusted(older, '/r') ?? '', /run “git config --global --add safe\.directory '\/r x'”, then/);
    assert.match(whyNotTrusted('fatal: detected dubious ownership in repository', '/r') ?? '', /directory '\/r'”/);
    assert.equal(whyNotTrusted('fatal: not a git repository', '/r'), undefined);
  });
});
