import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { executableName, programPaths } from './programPaths';

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
