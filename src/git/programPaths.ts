import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Where the system would look for a program, in search order, as absolute paths. Leaves out relative folders in PATH,
 * and the current folder, where Windows would look first: a repository could contain a program of that name.
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

/** The name of a program that starts without a shell: on Windows, `git` is `git.exe`, not a batch file. */
export function executableName(program: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' && win32.extname(program) === '' ? `${program}.exe` : program;
}

/** Whether Windows needs a shell to start the program; elsewhere the extension means nothing. */
export function isBatchFile(path: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'win32' && /\.(cmd|bat)$/i.test(path);
}

/** On Windows, names are compared ignoring case: `Path` is PATH. */
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
 * Finds a program like the system would, without running it, but never in the current folder (see `programPaths`).
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

/** Like `findProgram`, but on Windows finds only what starts without a shell: `git` is `git.exe`, not a batch file. */
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
 * The scopes of git's configuration that belong to the user. Apple's git reports “unknown” for its bundled
 * configuration file, which sets the key chain helper.
 */
export function scopesOfUser(platform: NodeJS.Platform = process.platform): readonly string[] {
  return platform === 'darwin' ? ['global', 'system', 'unknown'] : ['global', 'system'];
}

/**
 * Returns the folder that a remote URL refers to, by git's own rule (url_is_local_not_ssh in connect.c): a path, text
 * without a colon before its first slash, or on Windows text that starts with a drive. Undefined for a remote
 * elsewhere.
 *
 * @param base the folder that a relative path is resolved against
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
 * Whether two absolute paths, in the system's notation, name the same folder, judging by the text alone. Windows
 * ignores case, and VS Code writes drive letters in lower case; elsewhere it depends on the disk, so case counts.
 */
export function isSameFolder(one: string, other: string, platform: NodeJS.Platform = process.platform): boolean {
  const same = (path: string): string =>
    platform === 'win32' ? win32.resolve(path).toLowerCase() : posix.resolve(path);
  return same(one) === same(other);
}
