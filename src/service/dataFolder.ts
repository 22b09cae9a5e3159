import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for what this service keeps when none is named: where this system has the data of a user's programs. */
export function userDataFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  return join(dataHome(environment, platform), 'docs-agent');
}

function dataHome(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = homedir();
  if (platform === 'win32') {
    return environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local');
  }
  if (platform === 'darwin') {
    return join(home, 'Library', 'Application Support');
  }
  // XDG Base Directory Specification: a value that is no absolute path counts as none.
  const set = environment['XDG_DATA_HOME'] ?? '';
  return set.startsWith('/') ? set : join(home, '.local', 'share');
}
