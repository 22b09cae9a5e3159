import { equal } from 'node:assert/strict';
import { userDataFolder } from '../../../src/local-service/dataFolder';

describe('service data folder', () => {
  it('is XDG_DATA_HOME on Linux if that is an absolute path, and the default otherwise', () => {
    equal(userDataFolder({ XDG_DATA_HOME: '/data' }, '/home/robin', 'linux'), '/data/docs-agent');
    for (const set of [undefined, '', 'data', '~/data']) {
      equal(userDataFolder({ XDG_DATA_HOME: set }, '/home/robin', 'linux'), '/home/robin/.local/share/docs-agent');
    }
  });

  it('is in Application Support on macOS', () => {
    const folder = '/Users/robin/Library/Application Support/docs-agent';
    equal(userDataFolder({ XDG_DATA_HOME: '/data', LOCALAPPDATA: '/x' }, '/Users/robin', 'darwin'), folder);
  });

  it('is in local app data on Windows, which does not roam to other machines', () => {
    const environment = { LOCALAPPDATA: 'D:\\Local', XDG_DATA_HOME: '/data' };
    equal(userDataFolder(environment, 'C:\\Users\\robin', 'win32'), 'D:\\Local\\docs-agent');
    for (const set of [undefined, '', 'Local']) {
      const folder = 'C:\\Users\\robin\\AppData\\Local\\docs-agent';
      equal(userDataFolder({ LOCALAPPDATA: set }, 'C:\\Users\\robin', 'win32'), folder);
    }
  });
});
