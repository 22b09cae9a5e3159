import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { executableName, isBatchFile, programPaths } from '../../../src/git/programPaths';

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
