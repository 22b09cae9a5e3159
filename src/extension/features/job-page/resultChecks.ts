import {
  type CheckedRange,
  type CheckedResult,
  checkResult,
  type CheckOptions,
} from '../../../checks/process/checkResult';

/** The number of results that are kept in memory. */
const MAX_KEPT = 20;

/** Checks what jobs have added, each in a separate process, and keeps the latest results. */
export class ResultChecks {
  private readonly kept = new Map<string, CheckedResult>();

  constructor(private readonly options: CheckOptions) {}

  /** Undefined if it was aborted or failed. */
  async check(range: CheckedRange, signal: AbortSignal): Promise<CheckedResult | undefined> {
    const key = JSON.stringify(range);
    const known = this.kept.get(key) ?? (await checkResult(this.options, range, signal));
    if (known !== undefined) {
      this.keep(key, known);
    }
    return known;
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
