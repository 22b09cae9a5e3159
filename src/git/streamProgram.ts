import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { toGitError } from './gitError';

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
