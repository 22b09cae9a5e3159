import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Logger } from '../../base/logger';
import { killGroup, processControl } from '../../base/process';
import { byPlace, type Coverage, type Finding } from '../finding';

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

/** What the program prints, one JSON object per line. */
type CheckEvent =
  | { type: 'progress'; done: number; total: number }
  | { type: 'finding'; finding: Finding }
  | { type: 'end'; coverage: Coverage };

/**
 * Thrown if the check could not run. The message is for the user; if the program said why it failed, it is in the
 * program's own words.
 */
export class CheckFailed extends Error {}

/** Only the end of what a failing program has printed is kept, in characters. */
const MAX_ERROR = 4_000;

/** How long the program may take to end once it is asked to, in milliseconds. */
const END_MS = 100;

/**
 * Checks a repository in a separate process, so that the caller stays responsive. If aborted, returns undefined without
 * waiting for the process to end.
 */
export async function runCheck(run: CheckRun): Promise<Coverage | undefined> {
  const { signal } = run;
  if (signal.aborted) {
    return undefined;
  }
  const child = start(run);
  let coverage: Coverage | undefined;
  let rest = '';
  let errors = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of signal.aborted ? [] : lines) {
      const event = JSON.parse(line) as CheckEvent;
      if (event.type === 'progress') {
        run.onProgress(event.done, event.total);
      } else if (event.type === 'finding') {
        run.onFinding(event.finding);
      } else {
        ({ coverage } = event);
      }
    }
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-MAX_ERROR);
  });
  const stop = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(undefined), { signal: stop.signal });
      child.once('error', reject);
      // Not `exit`: at `close`, everything that was printed has been read.
      child.once('close', (exitCode) => {
        if (coverage === undefined || (exitCode ?? 2) > 1) {
          const why = errors.trim().replace(/^docs-agent-check: /, '');
          reject(new CheckFailed(why === '' ? `it ended with code ${String(exitCode)}` : why));
        } else {
          resolve(coverage);
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
  return spawn(process.execPath, [program, 'check', folder, ...lines, ...others, '--json', '--all'], {
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

/** The result of checking the lines that a job has added. */
export interface CheckedResult {
  /** By page and line. */
  findings: readonly Finding[];
  /** The number of further findings, which are not kept. */
  more: number;
  coverage: Coverage;
}

/** A job's commits in a repository. */
export type CheckedRange = Pick<CheckRun, 'folder' | 'code'> & { base: string; commit: string };
export type CheckOptions = Pick<CheckRun, 'program' | 'environment'> & { log: Logger };

/** More findings are only counted. */
const MAX_FINDINGS = 100;

/** Like `runCheck`, and gathers the findings. The coverage is undefined if the check was aborted. */
export async function gatherFindings(run: Omit<CheckRun, 'onFinding' | 'onProgress'>) {
  const findings: Finding[] = [];
  let count = 0;
  const onFinding = (finding: Finding): void => {
    count++;
    findings.push(...(count <= MAX_FINDINGS ? [finding] : []));
  };
  const coverage = await runCheck({ ...run, onFinding, onProgress: () => undefined });
  return { findings: findings.sort(byPlace), more: count - findings.length, coverage };
}

/**
 * Checks what a job has added, in a separate process. Undefined if the check was aborted or failed. A failure is only
 * logged, because the job's result doesn't depend on the check.
 */
export async function checkResult(
  { program, environment, log }: CheckOptions,
  { folder, base, commit, code }: CheckedRange,
  signal: AbortSignal,
): Promise<CheckedResult | undefined> {
  try {
    const run = { program, environment, folder, range: { base, commit }, code, signal };
    const { coverage, ...found } = await gatherFindings(run);
    return coverage && { ...found, coverage };
  } catch (error) {
    log.warn(`couldn’t check what was added until ${commit}`, error);
    return undefined;
  }
}
