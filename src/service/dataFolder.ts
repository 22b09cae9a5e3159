import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

/** The folder for what this service keeps when none is named: where this system has the data of a user's programs. */
export function userDataFolder(
  environment: NodeJS.ProcessEnv,
  home = homedir(),
  platform: NodeJS.Platform = process.platform,
): string {
  const paths = platform === 'win32' ? win32 : posix;
  // XDG Base Directory Specification: a value that is no absolute path counts as none.
  const set = (name: string): string | undefined =>
    paths.isAbsolute(environment[name] ?? '') ? environment[name] : undefined;
  switch (platform) {
    case 'win32':
      return win32.join(set('LOCALAPPDATA') ?? win32.join(home, 'AppData', 'Local'), 'docs-agent');
    case 'darwin':
      return posix.join(home, 'Library', 'Application Support', 'docs-agent');
    default:
      return posix.join(set('XDG_DATA_HOME') ?? posix.join(home, '.local', 'share'), 'docs-agent');
  }
}
