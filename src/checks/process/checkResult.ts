import type { Logger } from '../../base/logger';
import type { Coverage, Finding } from '../finding';
import { runCheck } from './runCheck';

/** What a check of the lines that a job has added has found. */
export interface CheckedResult {
  /** By page and line. */
  findings: readonly Finding[];
  /** The number of further findings, which are not kept. */
  more: number;
  coverage: Coverage;
}

/** A job's commits in a repository. */
export interface CheckedRange {
  /** The repository's folder. */
  folder: string;
  base: string;
  commit: string;
  /** More repositories in which names are looked up. */
  code: readonly string[];
}

export interface CheckOptions {
  /** The service's bundle, `dist/service.mjs`. */
  program: string;
  /** Of the process. */
  environment: NodeJS.ProcessEnv;
  log: Logger;
}

/** More findings are only counted. */
const MAX_FINDINGS = 100;

/** The program looks names up in no more repositories than these, beside the one that it checks. */
const MAX_OTHERS = 20;

/**
 * Checks what a job has added, in a process of its own. Undefined if it was aborted, or if it failed, which only the
 * log says: the result is there without it.
 */
export async function checkResult(
  { program, environment, log }: CheckOptions,
  { folder, base, commit, code }: CheckedRange,
  signal: AbortSignal,
): Promise<CheckedResult | undefined> {
  const findings: Finding[] = [];
  let more = 0;
  const onFinding = (finding: Finding): void => {
    if (findings.length < MAX_FINDINGS) {
      findings.push(finding);
    } else {
      more++;
    }
  };
  const others = code.slice(0, MAX_OTHERS);
  const run = { program, environment, folder, range: { base, commit }, code: others, signal };
  try {
    const result = await runCheck({ ...run, onFinding, onProgress: () => undefined });
    if (result !== undefined && result.dropped > 0) {
      log.warn(`${result.dropped} lines of the check of ${commit} could not be read`);
    }
    return result && { findings: findings.sort(byPlace), more, coverage: result.coverage };
  } catch (error) {
    log.warn(`couldn’t check what was added until ${commit}`, error);
    return undefined;
  }
}

function byPlace({ place: one }: Finding, { place: other }: Finding): number {
  return one.path === other.path ? one.line - other.line || one.column - other.column : one.path < other.path ? -1 : 1;
}
