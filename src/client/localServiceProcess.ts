import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { delay, systemClock } from '../base/async';
import { isPrivateToUser, move, PRIVATE_FILE } from '../base/files';
import { processStartTime } from '../base/process';
import { ServiceError } from '../protocol/errors';

/** The time limit for the service to start listening, in milliseconds. */
export const START_LIMIT_MS = 30_000;

/** The exit code of a service that finds another one using its folder. */
const EXIT_OTHER_RUNS = 3;

/** The exit code of a service whose data was written by a newer version. */
const EXIT_TOO_OLD = 4;

/** The log is rotated once it exceeds this size, in bytes. */
const LOG_BYTES = 4 * 1024 * 1024;

/** The environment for running the editor's executable as plain Node, without the editor's own variables. */
export function serviceEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name));
  return { ...Object.fromEntries(inherited), ELECTRON_RUN_AS_NODE: '1' };
}

/** The service shuts down after this time without requests, in minutes. */
const IDLE_MINUTES = 30;

/**
 * Starts the service with a data folder, detached so that it outlives this process. Resolves when it is listening; with
 * undefined if another process was faster. Throws ServiceError.
 *
 * @param input for its standard input
 */
export async function launchService(
  program: string,
  folder: string,
  args: readonly string[],
  input?: string,
): Promise<Ready | undefined> {
  const logFile = await openLog(join(folder, 'service.log'));
  try {
    const options = ['--data', folder, '--idle-minutes', String(IDLE_MINUTES), ...args];
    const child = spawn(process.execPath, [program, ...options], {
      cwd: folder,
      detached: true,
      windowsHide: true,
      stdio: ['pipe', 'pipe', logFile.fd],
      env: serviceEnvironment(),
    });
    child.stdin?.on('error', () => undefined).end(input);
    const ready = await whenReady(child);
    child.stdout?.destroy();
    child.unref();
    return ready;
  } finally {
    await logFile.close();
  }
}

/** What a service reports once it is ready. */
interface Ready {
  port: number;
  /** The path of the damaged list of jobs, if it had to be replaced. */
  setAside?: string;
}

/**
 * Resolves when the service is listening; with undefined if another window was faster and its service should be used.
 */
function whenReady(child: ChildProcess): Promise<Ready | undefined> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      child.kill();
      reject(new ServiceError('unreachable', { effect: 'none', code: 'LOCAL_SERVICE', detail: why }));
    };
    const timer = setTimeout(() => fail('it did not start in time'), START_LIMIT_MS);
    let text = '';
    child.stdout?.on('data', (data: Buffer) => {
      text += data.toString();
      if (text.includes('\n')) {
        clearTimeout(timer);
        resolve(JSON.parse(text) as Ready);
      }
    });
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => {
      clearTimeout(timer);
      if (code === EXIT_OTHER_RUNS) {
        resolve(undefined);
      } else {
        const isTooOld = code === EXIT_TOO_OLD;
        fail(
          isTooOld
            ? 'a window of a newer version has used it; reload this window'
            : `it ended with code ${String(code)}`,
        );
      }
    });
  });
}

/** Opens the log for appending. Rotates it first if it is too long. */
async function openLog(path: string): Promise<FileHandle> {
  const { size = 0 } = (await stat(path).catch(() => undefined)) ?? {};
  if (size > LOG_BYTES) {
    // If rotation fails, the log keeps growing; that must not prevent the service from starting.
    await move(path, `${path}.1`).catch(() => undefined);
  }
  return open(path, 'a', PRIVATE_FILE);
}

/** Reads a file that only the current user can have written; returns an empty string for any other. */
export async function readPrivate(path: string): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined);
  try {
    return file !== undefined && isPrivateToUser(await file.stat()) ? await file.readFile('utf8') : '';
  } finally {
    await file?.close();
  }
}

/** Terminates a process and waits until it is gone, at most 5 s. */
export async function endProcess(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has already exited.
    return;
  }
  for (let waited = 0; waited < 50 && (await processStartTime(pid)) !== undefined; waited++) {
    await delay(systemClock, 100);
  }
}
