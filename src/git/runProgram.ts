import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { killGroup, processControl } from '../base/process';
import { bothEnds, toGitError } from './errors';
import { findExecutable } from './programPaths';

export interface ProgramRun {
  /** A path, or a name that is looked up in the PATH of `environment`, but never in the folder. */
  program: string;
  args: readonly string[];
  folder: string;
  /** The program's complete environment. */
  environment: Record<string, string>;
  /** Written to its standard input, which is then closed. */
  input?: string;
  /** In milliseconds; on timeout the program and its child processes are killed. */
  timeoutMs: number;
  /** Kills the program and its child processes. */
  signal?: AbortSignal | undefined;
}

export interface ProgramResult {
  /** Null when it was ended by a signal. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

/** Maximum number of characters kept from the start of the output. */
const MAX_OUTPUT = 8 * 1024 * 1024;
/** How long to wait for remaining output after the program has exited, in milliseconds. */
const DRAIN_MS = 500;
/** How long a killed program may take to exit, in milliseconds. */
const DEATH_MS = 2000;

/**
 * Runs a program without a shell or terminal, in its own process group. Finishes when the program's own process
 * exits, because a credential helper may leave a daemon that keeps the pipes open for hours.
 *
 * Rejects with the signal's reason, or with the system's error when the program does not exist.
 */
export async function runProgram(run: ProgramRun): Promise<ProgramResult> {
  const program = await findExecutable(run.program, run.environment);
  if (program === undefined) {
    const words = `${run.program} was not found. Install it and make sure it is on the PATH.`;
    throw Object.assign(new Error(words), { code: 'ENOENT' });
  }
  return runFound({ ...run, program });
}

function runFound(run: ProgramRun): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    run.signal?.throwIfAborted();
    const child = spawn(run.program, run.args, {
      cwd: run.folder,
      env: run.environment,
      stdio: 'pipe',
      // Its own process group, and no terminal on which ssh could prompt.
      ...processControl().ownGroup,
    });
    const output = collect(child.stdout);
    const errors = collectEnds(child.stderr);
    let timedOut = false;
    let late: NodeJS.Timeout | undefined;
    const kill = (): void => {
      if (child.pid !== undefined) {
        killGroup(child.pid, 'SIGKILL');
        late ??= setTimeout(() => settle(null), DEATH_MS);
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, run.timeoutMs);
    run.signal?.addEventListener('abort', kill, { once: true });
    const stop = (): void => {
      clearTimeout(timer);
      clearTimeout(late);
      run.signal?.removeEventListener('abort', kill);
      [child.stdin, child.stdout, child.stderr].forEach((stream) => stream.destroy());
      child.unref();
    };
    const settle = (exitCode: number | null): void => {
      stop();
      if (run.signal?.aborted === true) {
        reject(run.signal.reason as Error);
      } else {
        resolve({ exitCode, stdout: output.text(), stderr: errors.text(), timedOut });
      }
    };
    child.once('error', (error) => {
      stop();
      reject(error);
    });
    child.once('exit', (exitCode) => {
      clearTimeout(timer);
      const drained = setTimeout(() => settle(exitCode), DRAIN_MS);
      void Promise.all([output.ended, errors.ended]).then(() => {
        clearTimeout(drained);
        settle(exitCode);
      });
    });
    // Exiting without reading its input is not a failure of the program.
    child.stdin.on('error', () => undefined);
    child.stdin.end(run.input ?? '');
  });
}

interface Collected {
  text: () => string;
  ended: Promise<void>;
}

function collect(
  stream: Readable,
  add = (text: string, chunk: string): string => text + chunk.slice(0, MAX_OUTPUT - text.length),
): Collected {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text = add(text, chunk);
  });
  stream.on('error', () => undefined);
  return { text: () => text, ended: new Promise((resolve) => stream.once('close', resolve)) };
}

/** Keeps the first and the last lines, however much is printed. */
function collectEnds(stream: Readable): Collected {
  return collect(stream, (text, chunk) => bothEnds(text + chunk));
}

export interface StreamedRun {
  /** The path of the program. */
  program: string;
  args: readonly string[];
  folder: string;
  /** The program's complete environment. */
  environment: Record<string, string>;
  /** Written to its standard input, which is then closed. */
  input?: string | undefined;
  /** Kills the program. */
  signal: AbortSignal;
}

/**
 * Streams a program's standard output with back-pressure. Kills the program when the reader stops; in any case, the
 * process has exited when the iteration ends. Throws the signal's reason, or GitError when the program could not be
 * started or exited with a nonzero code.
 */
export async function* streamProgram(run: StreamedRun): AsyncGenerator<Uint8Array, void> {
  const { program, args, folder, environment, signal } = run;
  signal.throwIfAborted();
  const child = spawn(program, args, {
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  // Exiting without reading its input is not a failure of the program.
  child.stdin.on('error', () => undefined);
  child.stdin.end(run.input ?? '');
  const errors = collectEnds(child.stderr);
  const failed: Error[] = [];
  const kill = (): void => void child.kill('SIGKILL');
  // Always settles: a program that could not be started emits an error instead of an exit.
  const gone = once(child, 'close').catch((error: unknown) => void failed.push(error as Error));
  signal.addEventListener('abort', kill, { once: true });
  try {
    yield* child.stdout as AsyncIterable<Uint8Array>;
    await gone;
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
    child.stderr.destroy();
    await gone;
  }
  signal.throwIfAborted();
  const code = child.exitCode ?? undefined;
  if (failed[0] !== undefined || code !== 0) {
    throw toGitError(failed[0] ?? Object.assign(new Error(), { code: code ?? null }), '', errors.text(), folder);
  }
}
