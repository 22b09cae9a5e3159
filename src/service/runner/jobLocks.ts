/**
 * One piece of work at a time on the folders and the branch of a job: a turn, the removal of its folders, the merge of
 * its branch.
 */
export class JobLocks {
  /** The end of what was asked for last, by job. */
  private readonly last = new Map<string, Promise<void>>();

  /** True while somebody works on the job or waits to. */
  isHeld(jobId: string): boolean {
    return this.last.has(jobId);
  }

  /** Resolves when nobody works on any job, and who did has had the time to note what came of it. */
  async untilFree(): Promise<void> {
    while (this.last.size > 0) {
      await Promise.all(this.last.values());
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Does the work as soon as what was asked for before has ended, whatever came of that. */
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

  /** Does the work at once, or not at all and returns undefined when somebody else works on the job. */
  tryHold<T>(jobId: string, work: () => Promise<T>): Promise<T> | undefined {
    return this.isHeld(jobId) ? undefined : this.hold(jobId, work);
  }
}
