import PQueue from 'p-queue';
import { type Clock, delay } from '../../base/async';
import type { Logger } from '../../base/logger';
import type { CheckedRange, CheckedResult } from '../../checks/process/checkResult';

/** What a job has added, in the user's repository. */
export interface CheckedWork {
  jobId: string;
  folder: string;
  base: string;
  commit: string;
}

/** What is known about a check: that it is running, what it found, or nothing, because it failed. */
export type CheckState = CheckedResult | 'running' | undefined;

interface Check {
  jobId: string;
  state: CheckState;
  ended: Promise<void>;
}

/** How many checks run at the same time. */
const CONCURRENCY = 2;

/** The number of checks whose results are kept in memory. */
const MAX_KEPT = 50;

/** A check's own time limit is shorter, so one that takes longer is stuck. In milliseconds. */
const LIMIT_MS = 150_000;

/** How long a pull request waits for its check, in milliseconds. */
const WAIT_MS = 30_000;

/** Checks what jobs have added, each once and in a separate process, and keeps the latest results. */
export class JobChecks {
  private readonly checks = new Map<string, Check>();
  private readonly queue = new PQueue({ concurrency: CONCURRENCY });
  private readonly ending = new AbortController();

  constructor(
    private readonly parts: {
      /** Returns undefined if the check was aborted, or if it failed, which it has logged. */
      run: (range: CheckedRange, signal: AbortSignal) => Promise<CheckedResult | undefined>;
      clock: Pick<Clock, 'after'>;
      log: Logger;
    },
  ) {}

  /** Starts the check if it has not been started. */
  start(work: CheckedWork): void {
    this.checkOf(work);
  }

  /** Starts the check if it has not been started, and returns what is known now. */
  state(work: CheckedWork): CheckState {
    return this.checkOf(work).state;
  }

  isRunning(jobId: string): boolean {
    return [...this.checks.values()].some((check) => check.jobId === jobId && check.state === 'running');
  }

  /**
   * Waits for a check, which it starts if necessary. Undefined if it failed, if it isn't done in time, which is logged,
   * or if the signal aborts. The check keeps running.
   */
  async wait(work: CheckedWork, signal: AbortSignal): Promise<CheckedResult | undefined> {
    const check = this.checkOf(work);
    const isOver = new AbortController();
    const over = delay(this.parts.clock, WAIT_MS, AbortSignal.any([signal, isOver.signal])).catch(() => undefined);
    await Promise.race([check.ended, over]);
    isOver.abort();
    if (check.state === 'running' && !signal.aborted) {
      this.parts.log.warn(`Job ${work.jobId}: the check of ${work.commit} takes too long for the pull request`);
    }
    return check.state === 'running' ? undefined : check.state;
  }

  /** Ends all checks. */
  close(): void {
    this.queue.clear();
    this.ending.abort();
  }

  private checkOf(work: CheckedWork): Check {
    const { jobId, folder, base, commit } = work;
    const key = JSON.stringify([jobId, folder, base, commit]);
    const check = this.checks.get(key) ?? this.newCheck(work);
    this.checks.delete(key);
    this.checks.set(key, check);
    const [oldest] = this.checks.keys();
    if (this.checks.size > MAX_KEPT && oldest !== undefined) {
      this.checks.delete(oldest);
    }
    return check;
  }

  private newCheck(work: CheckedWork): Check {
    const { jobId } = work;
    if (this.ending.signal.aborted) {
      return { jobId, state: undefined, ended: Promise.resolve() };
    }
    const check: Check = { jobId, state: 'running', ended: Promise.resolve() };
    check.ended = this.queue.add(async () => {
      check.state = await this.run(work).catch((error: unknown) => {
        this.parts.log.error(`Job ${jobId}: the check failed unexpectedly`, error);
        return undefined;
      });
    });
    return check;
  }

  private async run({ jobId, folder, base, commit }: CheckedWork): Promise<CheckedResult | undefined> {
    const { run, clock, log } = this.parts;
    const limit = new AbortController();
    const timer = clock.after(LIMIT_MS, () => limit.abort());
    try {
      const signal = AbortSignal.any([this.ending.signal, limit.signal]);
      const result = await run({ folder, base, commit, code: [] }, signal);
      if (limit.signal.aborted) {
        log.warn(`Job ${jobId}: the check of ${commit} was ended because it took too long`);
      }
      return result;
    } finally {
      timer.dispose();
    }
  }
}
