import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The scopes of git's configuration that are the user's own. Apple's git calls that of the file which comes with it, and
 * which names the key chain, “unknown”.
 */
export function scopesOfUser(platform: NodeJS.Platform = process.platform): readonly string[] {
  return platform === 'darwin' ? ['global', 'system', 'unknown'] : ['global', 'system'];
}

/**
 * The folder that the address of a remote names, by git's own rule (url_is_local_not_ssh in connect.c): a path, what has
 * no colon before its first slash, or on Windows what begins with a drive. Undefined for an address elsewhere.
 *
 * @param base the folder on which a relative path hangs
 */
export function folderOfRemote(
  url: string,
  base: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const windows = platform === 'win32';
  if (/^file:\/\//i.test(url)) {
    try {
      return fileURLToPath(url, { windows });
    } catch {
      return undefined;
    }
  }
  const paths = windows ? win32 : posix;
  const colon = url.indexOf(':');
  const slash = url.indexOf('/');
  const hasDrive = windows && /^[A-Za-z]:/.test(url);
  const isLocal = hasDrive || paths.isAbsolute(url) || colon === -1 || (slash !== -1 && slash < colon);
  return isLocal ? paths.resolve(base, url) : undefined;
}

/**
 * Whether two absolute paths, written as the system does, name one folder as far as that can be told from them. Windows
 * compares without case, and the editor writes its drives in small letters; elsewhere the disk decides.
 */
export function isSameFolder(one: string, other: string, platform: NodeJS.Platform = process.platform): boolean {
  const same = (path: string): string =>
    platform === 'win32' ? win32.resolve(path).toLowerCase() : posix.resolve(path);
  return same(one) === same(other);
}
