import type { Logger } from '../../base/logger';
import type { Coverage, Finding } from '../finding';
import { runCheck } from './runCheck';

/** The result of checking the lines that a job has added. */
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
  /** The environment of the process. */
  environment: NodeJS.ProcessEnv;
  log: Logger;
}

/** More findings are only counted. */
const MAX_FINDINGS = 100;

/** Maximum number of other repositories in which the program looks names up. */
const MAX_OTHERS = 20;

/**
 * Checks what a job has added, in a separate process. Undefined if the check was aborted or failed. A failure is only
 * logged, because the job's result doesn't depend on the check.
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
