import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { killGroup, processControl } from '../../base/process';
import type { Coverage, Finding } from '../finding';
import { type CheckEvent, CheckOutput } from './checkOutput';

export interface CheckRun {
  /** The service's bundle, `dist/service.mjs`. */
  program: string;
  /** The environment of the process. */
  environment: NodeJS.ProcessEnv;
  /** The repository whose documentation is checked. */
  folder: string;
  /** More repositories in which names are looked up. */
  code: readonly string[];
  /** Checks the lines that were added between two commits, instead of all pages. */
  range?: { base: string; commit: string };
  signal: AbortSignal;
  onFinding: (finding: Finding) => void;
  onProgress: (done: number, total: number) => void;
}

export interface CheckResult {
  coverage: Coverage;
  /** The number of lines of the program's output that could not be read. */
  dropped: number;
}

/**
 * Thrown if the check could not run. The message is for the user; if the program said why it failed, it is in the
 * program's own words.
 */
export class CheckFailed extends Error {}

/** Only the end of what a failing program has printed is kept, in characters. */
const MAX_ERROR = 4_000;

/** How long the program may take to end once it is asked to, in milliseconds. */
const END_MS = 100;

/** The exit codes of a check that ran to its end: nothing found, something found. */
const RAN: readonly (number | null)[] = [0, 1];

/**
 * Checks a repository in a separate process, so that the caller stays responsive. If aborted, returns undefined without
 * waiting for the process to end.
 */
export async function runCheck(run: CheckRun): Promise<CheckResult | undefined> {
  const { signal } = run;
  if (signal.aborted) {
    return undefined;
  }
  const child = start(run);
  const stop = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(undefined), { signal: stop.signal });
      child.once('error', reject);
      const read = readOutput(child, run, reject);
      // Not `exit`: at `close`, everything that was printed has been read.
      child.once('close', (exitCode) => {
        const { coverage, dropped, errors } = read();
        if (coverage === undefined || !RAN.includes(exitCode)) {
          reject(new CheckFailed(errors === '' ? `it ended with code ${String(exitCode)}` : errors));
        } else {
          resolve({ coverage, dropped });
        }
      });
    });
  } finally {
    stop.abort();
    end(child);
  }
}

function start({ program, environment, folder, code, range }: CheckRun): ChildProcess {
  const lines = range === undefined ? [] : ['--base', range.base, '--head', range.commit];
  const others = code.flatMap((each) => ['--code', each]);
  return spawn(process.execPath, [program, 'check', folder, ...lines, ...others, '--json'], {
    ...processControl().ownGroup,
    cwd: dirname(program),
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/**
 * Gives a process that is still running time to end its git processes, which are in separate groups, and then kills it.
 */
function end(child: ChildProcess): void {
  const { pid } = child;
  if (pid !== undefined && child.exitCode === null && child.signalCode === null) {
    killGroup(pid, 'SIGTERM');
    const timer = setTimeout(() => killGroup(pid, 'SIGKILL'), END_MS);
    child.once('exit', () => clearTimeout(timer));
  }
}

/** Reads what the process prints. Call the returned function once the process has ended, to get the result. */
function readOutput(
  child: ChildProcess,
  { signal, onFinding, onProgress }: CheckRun,
  fail: (error: unknown) => void,
): () => { coverage: Coverage | undefined; dropped: number; errors: string } {
  const output = new CheckOutput();
  let coverage: Coverage | undefined;
  let errors = '';
  const take = (event: CheckEvent): void => {
    switch (event.type) {
      case 'progress':
        onProgress(event.done, event.total);
        break;
      case 'finding':
        onFinding(event.finding);
        break;
      case 'end':
        coverage = event.coverage;
    }
  };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    try {
      if (!signal.aborted) {
        output.push(chunk).forEach(take);
      }
    } catch (error) {
      fail(error);
    }
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-MAX_ERROR);
  });
  return () => ({ coverage, dropped: output.dropped, errors: errors.trim().replace(/^docs-agent check: /, '') });
}
