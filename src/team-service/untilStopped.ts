import type { JobStore } from '../local-service/store/jobStore';

/**
 * Resolves when none of a job's turns is left that were asked to stop. Gives up waiting after `waitMs`: the worker may be
 * cut off, and then it stops without being asked.
 */
export async function untilStopped(
  store: Pick<JobStore, 'endedAt' | 'onJob'>,
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
