import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { killGroup, processControl } from '../base/process';
import { toGitError } from './errors';
import { findExecutable } from './programPaths';

export interface ProgramRun {
  /** A path, or a name that is looked up on the PATH of its environment and never in its folder. */
  program: string;
  args: readonly string[];
  folder: string;
  /** The whole of the program's environment. */
  environment: Record<string, string>;
  /** Written to its standard input, which is then closed. */
  input?: string;
  /** In milliseconds; then it is killed with what it started. */
  timeoutMs: number;
  /** Kills it with what it started. */
  signal?: AbortSignal | undefined;
}

export interface ProgramEnd {
  /** Null when a signal ended it. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

/** So much is kept of the beginning of each output, in characters. */
const MAX_OUTPUT = 8 * 1024 * 1024;
/** How long what the program printed last may take to arrive once it has ended, in milliseconds. */
const DRAIN_MS = 500;
/** How long a killed program may take to be gone, in milliseconds. */
const DEATH_MS = 2000;

/**
 * Runs a program of the user's without a shell and without a terminal, in a process group of its own. It has ended when
 * its own process has: a credential helper may leave a daemon that holds the pipes open for hours.
 *
 * Rejects with the signal's reason, or with the system's error when there is no such program.
 */
export async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const program = await findExecutable(run.program, run.environment);
  if (program === undefined) {
    const words = `${run.program} was not found. Install it and make sure it is on the PATH.`;
    throw Object.assign(new Error(words), { code: 'ENOENT' });
  }
  return runFound({ ...run, program });
}

function runFound(run: ProgramRun): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    run.signal?.throwIfAborted();
    const child = spawn(run.program, run.args, {
      cwd: run.folder,
      env: run.environment,
      stdio: 'pipe',
      // A group of its own, and no terminal on which ssh could ask.
      ...processControl().ownGroup,
    });
    const output = collect(child.stdout);
    const errors = collect(child.stderr);
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
    // A program that ends without reading its input is no failure of its own.
    child.stdin.on('error', () => undefined);
    child.stdin.end(run.input ?? '');
  });
}

function collect(stream: Readable): { text: () => string; ended: Promise<void> } {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text = text.length < MAX_OUTPUT ? text + chunk.slice(0, MAX_OUTPUT - text.length) : text;
  });
  stream.on('error', () => undefined);
  return { text: () => text, ended: new Promise((resolve) => stream.once('close', resolve)) };
}

export interface StreamedRun {
  /** The path of the program. */
  program: string;
  args: readonly string[];
  folder: string;
  /** The whole of its environment. */
  environment: Record<string, string>;
  /** Kills it. */
  signal: AbortSignal;
}

/** So much is kept of what it says to standard error, in characters. */
const MAX_ERRORS = 16 * 1024;

/**
 * What a program prints to standard output, as it prints it: no more is read than the reader takes. It is killed when the
 * reader stops, and in each case gone when the iteration has ended. Throws the signal's reason, and GitError when the
 * program could not be started or ended with another code than 0.
 */
export async function* streamProgram(run: StreamedRun): AsyncGenerator<Uint8Array, void> {
  const { program, args, folder, environment, signal } = run;
  signal.throwIfAborted();
  const child = spawn(program, args, {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const errors = firstWords(child.stderr);
  const failed: Error[] = [];
  const kill = (): void => void child.kill('SIGKILL');
  // Settles in each case: a program that could not be started has no exit but an error.
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
    throw toGitError(failed[0] ?? Object.assign(new Error(), { code: code ?? null }), '', errors(), folder);
  }
}

function firstWords(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text += chunk.slice(0, MAX_ERRORS - text.length);
  });
  stream.on('error', () => undefined);
  return () => text;
}
