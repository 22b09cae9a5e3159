/** Serializes the work on a job's folders and branch: a turn, the removal of its folders, the merge of its branch. */
export class JobLocks {
  /** The end of the work that was requested last, by job. */
  private readonly last = new Map<string, Promise<void>>();

  /** True while work on the job is running or waiting. */
  isHeld(jobId: string): boolean {
    return this.last.has(jobId);
  }

  /** Resolves when no work is running on any job, and its callers have had time to record the outcome. */
  async untilFree(): Promise<void> {
    while (this.last.size > 0) {
      await Promise.all(this.last.values());
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Does the work once all earlier work on the job has ended, whether it succeeded or failed. */
  async hold<T>(jobId: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(jobId);
    const result = before === undefined ? work() : before.then(work);
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.last.set(jobId, ended);
    try {
      return await result;
    } finally {
      if (this.last.get(jobId) === ended) {
        this.last.delete(jobId);
      }
    }
  }

  /** Does the work immediately, or returns undefined when other work on the job is running or waiting. */
  tryHold<T>(jobId: string, work: () => Promise<T>): Promise<T> | undefined {
    return this.isHeld(jobId) ? undefined : this.hold(jobId, work);
  }
}
