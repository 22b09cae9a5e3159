import type { JobStore } from '../../../jobs/jobStore';
import type { TrackedJob } from '../../../jobs/trackedJob';

/** The editor's view of a job's changes. */
export interface ChangesView {
  isOpen(): boolean;
  close(): unknown;
}

/** The end of a job's last run when its changes were opened; undefined for one that had not ended then. */
type RunEnd = TrackedJob['endedAt'];

/**
 * Whether the agent has finished other work on a job since its changes were opened. A run that failed leaves the branch
 * as it was.
 */
export function hasNewWork(job: TrackedJob | undefined, endedBefore: RunEnd): boolean {
  return job?.endedAt !== undefined && job.endedAt !== endedBefore && job.snapshot?.status !== 'failed';
}

/** The views of changes that are open, one for each job. An open view shows two fixed commits, so it becomes old. */
export class OpenedChanges {
  private readonly views = new Map<string, { view: ChangesView; endedAt: RunEnd }>();
  private readonly listening: { dispose(): void };

  /** @param tellOld called once for each run that ends while a view shows what was there before */
  constructor(store: Pick<JobStore, 'onDidChange'>, tellOld: (job: TrackedJob) => void) {
    this.listening = store.onDidChange(({ job, before }) => {
      const opened = this.views.get(job.key);
      const isOver = before !== undefined && before.endedAt !== job.endedAt;
      if (isOver && opened?.view.isOpen() === true && hasNewWork(job, opened.endedAt)) {
        tellOld(job);
      }
    });
  }

  dispose(): void {
    this.listening.dispose();
  }

  /** Takes the place of the view that was opened for the job before, which is closed. */
  async replace({ key, endedAt }: TrackedJob, view: ChangesView): Promise<void> {
    const before = this.views.get(key)?.view;
    this.views.set(key, { view, endedAt });
    if (before?.isOpen() === true) {
      await before.close();
    }
  }
}
