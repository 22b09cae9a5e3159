import assert, { deepEqual, deepStrictEqual, equal, strictEqual } from 'node:assert/strict';
import { delimiter, resolve } from 'node:path';
import fc from 'fast-check';
import { allowedEnvironment } from '../../../src/git/environment';
import { getVersionProblem } from '../../../src/git/git';
import {
  executableName,
  folderOfRemote,
  isBatchFile,
  isSameFolder,
  programPaths,
  scopesOfUser,
} from '../../../src/git/programPaths';
import { safeCommand } from '../../../src/git/safeCommand';
import { agentEnvironment } from '../../../src/local-service/agents/prepareAgentStart';

describe('platform-specific git behavior', () => {
  it('uses the same user configuration scopes everywhere, plus one on macOS', () => {
    deepEqual(scopesOfUser('linux'), ['global', 'system']);
    deepEqual(scopesOfUser('win32'), ['global', 'system']);
    deepEqual(scopesOfUser('darwin'), ['global', 'system', 'unknown']);
  });

  for (const platform of ['linux', 'darwin'] as const) {
    it(`resolves the folder of a remote on ${platform}`, () => {
      const folderOf = (url: string): string | undefined => folderOfRemote(url, '/home/robin/repo', platform);
      equal(folderOf('/srv/a.git'), '/srv/a.git');
      equal(folderOf('../a.git'), '/home/robin/a.git');
      equal(folderOf('./a:b'), '/home/robin/repo/a:b');
      equal(folderOf('file:///srv/a%20b'), '/srv/a b');
      equal(folderOf('file://server/share/a'), undefined);
      // A one-letter host name.
      equal(folderOf('c:a.git'), undefined);
      equal(folderOf('C:/a.git'), undefined);
      equal(folderOf('git@github.com:robin/a.git'), undefined);
      equal(folderOf('https://github.com/robin/a'), undefined);
    });
  }

  it('resolves the folder of a remote on Windows, with drives and shares', () => {
    const folderOf = (url: string): string | undefined => folderOfRemote(url, 'C:\\Users\\robin\\repo', 'win32');
    equal(folderOf('C:/git/a.git'), 'C:\\git\\a.git');
    equal(folderOf('d:\\git\\a.git'), 'd:\\git\\a.git');
    equal(folderOf('C:a.git'), 'C:\\Users\\robin\\repo\\a.git');
    equal(folderOf('/git/a.git'), 'C:\\git\\a.git');
    equal(folderOf('\\\\server\\share\\a.git'), '\\\\server\\share\\a.git');
    equal(folderOf('//server/share/a.git'), '\\\\server\\share\\a.git');
    equal(folderOf('../a.git'), 'C:\\Users\\robin\\a.git');
    equal(folderOf('file:///C:/git/a%20b'), 'C:\\git\\a b');
    equal(folderOf('file://server/share/a'), '\\\\server\\share\\a');
    equal(folderOf('git@github.com:robin/a.git'), undefined);
    equal(folderOf('github.com:robin/a.git'), undefined);
    equal(folderOf('https://github.com/robin/a'), undefined);
  });

  it('compares folders loosely on Windows and by exact name elsewhere', () => {
    equal(isSameFolder('c:\\Users\\robin\\repo', 'C:\\Users\\Robin\\repo\\', 'win32'), true);
    equal(isSameFolder('c:\\repo', 'd:\\repo', 'win32'), false);
    equal(isSameFolder('C:/repo', 'c:\\repo', 'win32'), true);
    for (const platform of ['linux', 'darwin'] as const) {
      equal(isSameFolder('/srv/repo', '/srv/repo/', platform), true);
      equal(isSameFolder('/srv/repo', '/srv/Repo', platform), false);
      equal(isSameFolder('/srv/a\\b', '/srv/a/b', platform), false);
    }
  });
});

describe('allowedEnvironment', () => {
  it('keeps what a program needs, with its original spelling', () => {
    const kept = { PATH: resolve('/bin'), HOME: '/h', LC_ALL: 'C', SystemRoot: 'C:\\Windows', TERM: 'xterm' };
    assert.deepEqual(allowedEnvironment(kept), kept);
  });

  it('keeps only the absolute folders of PATH', () => {
    const path = ['', delimiter === ';' ? 'C:\\bin' : '/bin', '.', 'bin', './node_modules/.bin', ''].join(delimiter);
    assert.deepEqual(allowedEnvironment({ PATH: path }), { PATH: delimiter === ';' ? 'C:\\bin' : '/bin' });
    assert.deepEqual(allowedEnvironment({ PATH: delimiter }), {});
    assert.deepEqual(agentEnvironment({ PATH: '.' }, ['PATH'], 'j'), { DOCS_AGENT_JOB: 'j' });
  });

  it('drops tokens, keys and variables that control how a program runs', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'NODE_OPTIONS',
        'ELECTRON_RUN_AS_NODE',
        'LD_PRELOAD',
        'SSH_AUTH_SOCK',
        'BASH_ENV',
        'LC_',
        'LC_A B',
      ),
      fc.stringMatching(/^(VSCODE|GIT|DOCS_AGENT|NPM|LD)_[A-Z_]{1,12}$/),
      fc.stringMatching(/^[A-Z_]{1,12}_(TOKEN|KEY|SECRET)$/).filter((each) => !each.startsWith('LC_')),
    );
    fc.assert(
      fc.property(name, (each) => assert.deepEqual(allowedEnvironment({ [each]: 'x' }), {})),
      { numRuns: 1000 },
    );
  });
});

describe('programPaths', () => {
  for (const platform of ['linux', 'darwin'] as const) {
    it(`searches each absolute folder of PATH for the exact name on ${platform}`, () => {
      const environment = { PATH: '/usr/bin:.::bin:/opt/a b', Path: '/wrong', PATHEXT: '.EXE' };
      deepStrictEqual(programPaths('git', environment, platform), ['/usr/bin/git', '/opt/a b/git']);
      deepStrictEqual(programPaths('/opt/git', environment, platform), ['/opt/git']);
      for (const name of ['', './git', 'bin/git', '..\\git']) {
        deepStrictEqual(programPaths(name, environment, platform), [], name);
      }
      deepStrictEqual(programPaths('git', {}, platform), []);
      strictEqual(executableName('git', platform), 'git');
      strictEqual(isBatchFile('/opt/agent.cmd', platform), false);
    });
  }

  it('accepts any case of PATH, adds program extensions and skips the current folder on Windows', () => {
    const environment = { Path: 'C:\\Git;.;tools;D:\\x y', PATHEXT: '.COM;.EXE;;.CMD' };
    deepStrictEqual(programPaths('git', environment, 'win32'), [
      'C:\\Git\\git.COM',
      'C:\\Git\\git.EXE',
      'C:\\Git\\git.CMD',
      'D:\\x y\\git.COM',
      'D:\\x y\\git.EXE',
      'D:\\x y\\git.CMD',
    ]);
    deepStrictEqual(programPaths('git.exe', environment, 'win32'), ['C:\\Git\\git.exe', 'D:\\x y\\git.exe']);
    deepStrictEqual(programPaths('a.b', { PATH: 'C:\\Git' }, 'win32'), ['C:\\Git\\a.b.EXE', 'C:\\Git\\a.b.CMD']);
    deepStrictEqual(programPaths('D:\\git.exe', environment, 'win32'), ['D:\\git.exe']);
    for (const name of ['', '.\\git', 'bin/git', 'D:git']) {
      const outside = programPaths(name, environment, 'win32').filter((path) => !/^(C:\\Git|D:\\x y)\\/.test(path));
      deepStrictEqual(outside, [], name);
    }
    strictEqual(executableName('git', 'win32'), 'git.exe');
    strictEqual(executableName('git.exe', 'win32'), 'git.exe');
    strictEqual(isBatchFile('C:\\npm\\agent.CMD', 'win32'), true);
    strictEqual(isBatchFile('C:\\npm\\agent.bat', 'win32'), true);
    strictEqual(isBatchFile('C:\\npm\\agent.exe', 'win32'), false);
    strictEqual(isBatchFile('C:\\a.cmd\\agent', 'win32'), false);
  });
});

describe('safeCommand', () => {
  const readsAttributesOf = (place: { gitDir?: string; workTree?: string }) =>
    safeCommand({}, [], { folder: '/job', ...place }, ['diff']).args.find((arg) => arg.startsWith('attr.tree='));

  it('reads no attributes from commits, which Git 2.43 to 2.45 does if there is no work tree', () => {
    const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
    assert.equal(readsAttributesOf({ gitDir: '/job/host.git' }), `attr.tree=${emptyTree}`);
    assert.equal(readsAttributesOf({ gitDir: '/job/.git', workTree: '/job/.git' }), `attr.tree=${emptyTree}`);
    assert.equal(readsAttributesOf({ gitDir: '/job/host.git', workTree: '/job/work' }), undefined);
    assert.equal(readsAttributesOf({}), undefined);
  });
});

describe('getVersionProblem', () => {
  for (const printed of [
    '2.38.0',
    '2.38',
    '2.39.5 (Apple Git-154)',
    '2.47.1.windows.1',
    '3.0.0',
    '10.1',
    'of my own',
    '',
  ]) {
    it(`accepts “${printed}”`, () => assert.equal(getVersionProblem(`git version ${printed}\n`), undefined));
  }

  for (const printed of ['2.37.8', '2.9.5', '1.99.0', '2.37.0.windows.1']) {
    it(`rejects “${printed}” and explains why`, () => {
      const why = getVersionProblem(`git version ${printed}\n`);
      assert.ok(why?.startsWith(`Your git is too old: it is ${printed}, and 2.38 is the least.`));
    });
  }
});
