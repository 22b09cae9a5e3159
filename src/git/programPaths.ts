import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Where a system would look for a program, in its order, each an absolute path. Folders that PATH names from the current
 * folder on are left out, and so is the current folder itself, where Windows would look first: a repository could bring a
 * program there.
 *
 * @param program a name, or a path
 */
export function programPaths(
  program: string,
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const paths = platform === 'win32' ? win32 : posix;
  if (paths.isAbsolute(program)) {
    return [program];
  }
  if (program === '' || /[/\\]/.test(program)) {
    return [];
  }
  const folders = (valueOf(environment, 'PATH', platform) ?? '')
    .split(paths.delimiter)
    .filter((folder) => paths.isAbsolute(folder));
  return folders.flatMap((folder) =>
    endings(program, environment, platform).map((ending) => paths.join(folder, program + ending)),
  );
}

/** A program that starts without a shell: on Windows `git` is `git.exe`, and no batch file. */
export function executableName(program: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' && win32.extname(program) === '' ? `${program}.exe` : program;
}

/** A program that Windows starts by a shell only; elsewhere the ending of a name says nothing. */
export function isBatchFile(path: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'win32' && /\.(cmd|bat)$/i.test(path);
}

/** On Windows, where names compare without case, `Path` is PATH. */
function valueOf(environment: NodeJS.ProcessEnv, name: string, platform: NodeJS.Platform): string | undefined {
  const key = Object.keys(environment).find((each) => each.toUpperCase() === name);
  return platform === 'win32' && key !== undefined ? environment[key] : environment[name];
}

function endings(program: string, environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  if (platform !== 'win32') {
    return [''];
  }
  const all = (valueOf(environment, 'PATHEXT', platform) ?? '.EXE;.CMD').split(';').filter((ending) => ending !== '');
  const own = win32.extname(program).toUpperCase();
  return all.some((ending) => ending.toUpperCase() === own) ? [''] : all;
}

/**
 * Finds a program as the system would, without running it, but never in the current folder (see `programPaths`).
 *
 * @param program a name, or a path
 * @returns its absolute path, or undefined
 */
export async function findProgram(program: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const path of programPaths(program, environment)) {
    if (await isProgram(path)) {
      return path;
    }
  }
  return undefined;
}

/** As `findProgram`, and on Windows only what starts without a shell: `git` is `git.exe` there, and no batch file. */
export function findExecutable(program: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  return findProgram(executableName(program), environment);
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

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
