import { deepEqual, equal } from 'node:assert/strict';
import { folderOfRemote, isSameFolder, scopesOfUser } from '../../../src/git/programPaths';

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
