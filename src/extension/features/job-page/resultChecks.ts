import type { Coverage, Finding } from '../../../checks/finding';
import type { Logger } from '../../../base/logger';
import { runCheck } from '../../platform/runCheck';

/** What a check of the lines that a job has added has found. */
export interface CheckedResult {
  /** By page and line. */
  findings: readonly Finding[];
  /** The number of further findings, which are not kept. */
  more: number;
  coverage: Coverage;
}

/** A job's commits in an open repository. */
export interface CheckedRange {
  /** The repository's folder. */
  folder: string;
  base: string;
  commit: string;
  /** More repositories in which names are looked up. */
  code: readonly string[];
}

/** More findings are only counted. */
const MAX_FINDINGS = 100;

/** The number of results that are kept in memory. */
const MAX_KEPT = 20;

/** The program looks names up in no more repositories than these, beside the one that it checks. */
const MAX_OTHERS = 20;

/** Checks what jobs have added, each in a process of its own, and keeps the latest results. */
export class ResultChecks {
  private readonly kept = new Map<string, CheckedResult>();

  /** @param program the service's bundle, `dist/service.mjs` */
  constructor(private readonly options: { program: string; log: Logger }) {}

  /** Undefined if it was aborted, or if it failed, which only the log says: the result is there without it. */
  async check(range: CheckedRange, signal: AbortSignal): Promise<CheckedResult | undefined> {
    const key = JSON.stringify(range);
    const known = this.kept.get(key) ?? (await this.run(range, signal));
    if (known !== undefined) {
      this.keep(key, known);
    }
    return known;
  }

  private async run({ folder, base, commit, code }: CheckedRange, signal: AbortSignal) {
    const { program, log } = this.options;
    const findings: Finding[] = [];
    let more = 0;
    const onFinding = (finding: Finding): void => {
      if (findings.length < MAX_FINDINGS) {
        findings.push(finding);
      } else {
        more++;
      }
    };
    const run = { program, folder, range: { base, commit }, code: code.slice(0, MAX_OTHERS), signal };
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

  private keep(key: string, result: CheckedResult): void {
    this.kept.delete(key);
    this.kept.set(key, result);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT && oldest !== undefined) {
      this.kept.delete(oldest);
    }
  }
}

function byPlace({ place: one }: Finding, { place: other }: Finding): number {
  return one.path === other.path ? one.line - other.line || one.column - other.column : one.path < other.path ? -1 : 1;
}
