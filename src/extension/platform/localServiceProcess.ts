import type { ChildProcess } from 'node:child_process';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { delay, systemClock } from '../../base/async';
import { isOursAlone, move, PRIVATE_FILE } from '../../base/files';
import { decodeJson } from '../../base/json';
import { processStartTime } from '../../base/process';
import { ServiceError } from '../../protocol/errors';

/** How long the service may take until it listens, in milliseconds. */
export const START_LIMIT_MS = 30_000;

/** How a service ends that finds another one at work on its folder. */
const EXIT_OTHER_RUNS = 3;

/** How one ends whose data were written by a newer version. */
const EXIT_TOO_OLD = 4;

/** The size from which the log of the last runs makes room for a new one, in bytes. */
const LOG_BYTES = 4 * 1024 * 1024;

/** The editor's own environment, run as plain Node; no variable of the editor's goes along. */
export function serviceEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name));
  return { ...Object.fromEntries(inherited), ELECTRON_RUN_AS_NODE: '1' };
}

/** What a service says that is ready. */
export interface Ready {
  port: number;
  /** Where its list of jobs is now, if that was damaged and a new one began. */
  setAside: string | undefined;
}

/** Resolves when it listens; with undefined when another window was first and its service is the one to speak to. */
export function whenReady(child: ChildProcess): Promise<Ready | undefined> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      child.kill();
      reject(new ServiceError('unreachable', { effect: 'none', code: 'LOCAL_SERVICE', detail: why }));
    };
    const timer = setTimeout(() => fail('it did not start in time'), START_LIMIT_MS);
    let text = '';
    child.stdout?.on('data', (data: Buffer) => {
      text += data.toString();
      const ready = decodeJson(text.split('\n')[0] ?? '') as
        { ready?: boolean; port?: number; setAside?: string } | undefined;
      if (ready?.ready === true && ready.port !== undefined) {
        clearTimeout(timer);
        resolve({ port: ready.port, setAside: ready.setAside });
      }
    });
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => {
      clearTimeout(timer);
      if (code === EXIT_OTHER_RUNS) {
        resolve(undefined);
      } else if (code === EXIT_TOO_OLD) {
        fail('a window of a newer version has used it; reload this window');
      } else {
        fail(`it ended with code ${String(code)}`);
      }
    });
  });
}

/** Opens the log to add to it; a long one is kept as the one before. */
export async function openLog(path: string): Promise<FileHandle> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LOG_BYTES) {
    // Where that can't be, the log goes on growing: no reason to start no service.
    await move(path, `${path}.1`).catch(() => undefined);
  }
  return open(path, 'a', PRIVATE_FILE);
}

/** The text of a file that nobody but us could have written; empty for any other. */
export async function readPrivate(path: string): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined);
  try {
    return file !== undefined && isOursAlone(await file.stat()) ? await file.readFile('utf8') : '';
  } finally {
    await file?.close();
  }
}

/** Ends a process and waits until it is gone, at most 5 s. */
export async function endProcess(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
    return;
  }
  for (let waited = 0; waited < 50 && (await processStartTime(pid)) !== undefined; waited++) {
    await delay(systemClock, 100);
  }
}
