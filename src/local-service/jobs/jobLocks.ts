/** Serializes the work on a job's folders and branch: a turn, the removal of its folders, the merge of its branch. */
export class JobLocks {
  /** The end of the work that was requested last, by job, and whether that is brief. */
  private readonly last = new Map<string, { ended: Promise<void>; isBrief: boolean }>();

  /** Resolves when no work is running on any job, and its callers have had time to record the outcome. */
  async untilFree(): Promise<void> {
    while (this.last.size > 0) {
      await Promise.all([...this.last.values()].map(({ ended }) => ended));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Does the work once all earlier work on the job has ended, whether it succeeded or failed. */
  async hold<T>(jobId: string, work: () => Promise<T>, isBrief = false): Promise<T> {
    const before = this.last.get(jobId)?.ended;
    const result = before === undefined ? work() : before.then(work);
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.last.set(jobId, { ended, isBrief });
    try {
      return await result;
    } finally {
      if (this.last.get(jobId)?.ended === ended) {
        this.last.delete(jobId);
      }
    }
  }

  /**
   * Does the work immediately, or returns undefined when other work on the job is running or waiting.
   *
   * @param isBrief true for work in the background: what a user asks for waits for it instead of being refused
   */
  tryHold<T>(jobId: string, work: () => Promise<T>, isBrief = false): Promise<T> | undefined {
    const before = this.last.get(jobId);
    return before === undefined || (before.isBrief && !isBrief) ? this.hold(jobId, work, isBrief) : undefined;
  }
}
