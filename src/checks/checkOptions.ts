import type { Coverage, Finding, NotCheckedReason } from './finding';

export interface CheckListener {
  finding(finding: Finding): void;
  progress(done: number, total: number): void;
}

export interface CheckLimits {
  /** Time limit for a whole check, in milliseconds. */
  timeMs: number;
  commits: number;
  historyBytes: number;
  pages: number;
  /** Maximum size of one page, and of all code together, in bytes. */
  pageBytes: number;
  codeBytes: number;
  codeFiles: number;
}

export const DEFAULT_LIMITS: CheckLimits = {
  timeMs: 120_000,
  commits: 50_000,
  historyBytes: 1_500_000_000,
  pages: 20_000,
  pageBytes: 400_000,
  codeBytes: 1_500_000_000,
  codeFiles: 200_000,
};

/** Counts what was looked at, and what was not. */
export class CoverageCounter {
  pages = 0;
  names = 0;
  private readonly counts = new Map<NotCheckedReason, number>();

  skip(reason: NotCheckedReason, count = 1): void {
    if (count > 0) {
      this.counts.set(reason, (this.counts.get(reason) ?? 0) + count);
    }
  }

  coverage(): Coverage {
    const notChecked = [...this.counts].map(([reason, count]) => ({ reason, count }));
    return { pages: this.pages, names: this.names, notChecked };
  }
}
