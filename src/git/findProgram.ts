import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, extname, isAbsolute, join } from 'node:path';

/**
 * Finds a program as the system would, without running it. Folders that PATH names from the current folder on are left
 * out, and so is the current folder itself, where Windows would look first: a repository could bring a program there.
 *
 * @param program a name, or a path
 * @returns its absolute path, or undefined
 */
export async function findProgram(program: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (isAbsolute(program)) {
    return (await isProgram(program)) ? program : undefined;
  }
  if (program === '' || /[/\\]/.test(program)) {
    return undefined;
  }
  const folders = (valueOf(environment, 'PATH') ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  for (const folder of folders) {
    for (const ending of endings(program, environment)) {
      const path = join(folder, program + ending);
      if (await isProgram(path)) {
        return path;
      }
    }
  }
  return undefined;
}

/** As `findProgram`, and on Windows only what starts without a shell: `git` is `git.exe` there, and no batch file. */
export function findExecutable(program: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const isShort = process.platform === 'win32' && extname(program) === '';
  return findProgram(isShort ? `${program}.exe` : program, environment);
}

/** On Windows, where names compare without case, `Path` is PATH. */
function valueOf(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const key = Object.keys(environment).find((each) => each.toUpperCase() === name);
  return process.platform === 'win32' && key !== undefined ? environment[key] : environment[name];
}

function endings(program: string, environment: NodeJS.ProcessEnv): string[] {
  if (process.platform !== 'win32') {
    return [''];
  }
  const all = (valueOf(environment, 'PATHEXT') ?? '.EXE;.CMD').split(';').filter((ending) => ending !== '');
  return all.some((ending) => ending.toUpperCase() === extname(program).toUpperCase()) ? [''] : all;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
