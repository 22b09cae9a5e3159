import type { JobStore } from '../local-service/store/jobStore';

/**
 * Asks the process that runs a turn of the job to stop, and resolves when none of its turns is left. Gives up waiting
 * after `waitMs`: the worker may be cut off, and then it stops without being asked.
 */
export async function untilStopped(
  store: Pick<JobStore, 'endedAt' | 'onJob'> & { requestStop: (jobId: string) => Promise<void> },
  jobId: string,
  waitMs: number,
): Promise<void> {
  let look = (): void => undefined;
  const changes = store.onJob((changed) => {
    if (changed === undefined || changed === jobId) {
      look();
    }
  });
  const late = AbortSignal.timeout(waitMs);
  try {
    await store.requestStop(jobId);
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        look = resolve;
        late.addEventListener('abort', () => resolve(), { once: true });
      });
      if (late.aborted || (await store.endedAt(jobId)) !== undefined) {
        return;
      }
      await changed;
    }
  } finally {
    changes.dispose();
  }
}
