import { posix, win32 } from 'node:path';

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
